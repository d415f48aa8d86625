export { callbackSecret } from './callback-secret.ts'
export { createClient } from './create-client.ts'
export type { Client, ClientOptions } from './create-client.ts'
export type { Allowed, GateCall, GateOptions } from './gate.ts'
export {
  AlreadyTakenError,
  BlockedError,
  CancelledError,
  CountersignError,
  DeniedError,
  ExpiredError,
  MismatchError,
} from './errors.ts'
export type { Permit } from './permit.ts'
