/** Entry of a Worker that only searches: the tests' own, because checking the types of the whole program takes long. */

import { serveSearchRole, type WorkerScope } from "../../src/engine/search/search_role.ts";

serveSearchRole(globalThis as unknown as WorkerScope);
