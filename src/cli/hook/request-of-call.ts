import type { HookedCall } from '#domain/hooks/call-of-event.ts'
import { originOfCall } from './origin/origin-of-call.ts'

/** Who asks about the calls of an agent. */
export interface CallAsker {
  /** the agent's name for people */
  readonly title: string
  /** the worker whose policy judges first; absent: every call asks */
  readonly worker?: string
  /** absolute path of the folder in which the agent works */
  readonly root: string
  /** of this host's own service; `null` for a service on another host */
  readonly hostProof: Uint8Array | null
  /** the service calls this address once a request is decided */
  readonly callbackUrl?: string
}

/** The request with which a hook or the permission tool asks about a call of an agent. */
export async function requestOfCall(
  call: HookedCall,
  { callbackUrl, hostProof, root, title, worker }: CallAsker,
  of: {
    readonly externalId: string
    /** false: the agent can only make its own call, so nobody may approve a changed one */
    readonly isEditable: boolean
    readonly metadata: Readonly<Record<string, string>>
  },
) {
  const origin = await originOfCall(call, { key: hostProof, root, program: title })
  return {
    ...call,
    ...(origin === null ? {} : { origin }),
    ...(worker === undefined ? {} : { worker }),
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
    externalId: of.externalId,
    ...(of.isEditable ? {} : { edits: 'off' as const }),
    metadata: of.metadata,
  }
}
