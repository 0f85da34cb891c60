/** The address under which clients know this server (contract 2.9). */

import type { HttpConfig } from "../../config/config.ts";
import { isLoopbackHost } from "../../base/loopback_host.ts";
import { requestTarget } from "./request_target.ts";
