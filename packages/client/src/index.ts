export type { ActOptions, Decision, WaitOptions } from './acts.ts'
export type { Call, CallOrigin } from './call.ts'
export { callbackSecret, type Callback, type ReceivedCallback } from './callback.ts'
export { callDigest } from './digest.ts'
export { createClient, type Client, type ClientOptions } from './client.ts'
export {
  AlreadyTakenError,
  BlockedError,
  CancelledError,
  CountersignError,
  DeniedError,
  ExpiredError,
  MismatchError,
} from './errors.ts'
export { askAbout, externalIdOf, notRun, settle } from './framework-calls.ts'
export type { AgentCallOptions, CallRouting, Refusal } from './framework-calls.ts'
export type { AllowedCall, GateOptions, TakeOptions } from './gate.ts'
export { perform } from './perform.ts'
export type { Permit, PublicKey } from './permit.ts'
export type { RequestSummary, OutcomeState, RequestAnswer, RequestState } from './request.ts'
