/** Two pictures of 4000×3000 with about the detail of a photograph: noise of five sizes over each other, made by Pillow. */

import { mkdirSync } from "node:fs";

const MAKE = `
import os
from PIL import Image
def noise(n): return Image.frombytes('RGB', (n, n * 3 // 4), os.urandom(n * (n * 3 // 4) * 3)).resize((4000, 3000), Image.BICUBIC)
im = noise(16)
for n, share in ((64, .4), (256, .3), (1024, .25), (2000, .12)): im = Image.blend(im, noise(n), share)
im.save('photo.jpg', quality=90)
im.save('photo.png')
`;

/** A Python that has Pillow, or null. */
export async function findPillow(): Promise<string | null> {
  for (const python of ["/usr/bin/python3", "python3"]) {
    try {
      const output = await new Deno.Command(python, { args: ["-c", "import PIL"], stderr: "null" }).output();
      if (output.success) return python;
    } catch {
      // Not there; the next may be.
    }
  }
  return null;
}

/** Writes `photo.jpg` and `photo.png`. */
export async function makePictures(directory: string, python: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const { code } = await new Deno.Command(python, { args: ["-c", MAKE], cwd: directory }).output();
  if (code !== 0) throw new Error("Pillow could not make the pictures");
}
