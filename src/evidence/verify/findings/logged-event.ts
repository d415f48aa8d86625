import { parseObject } from '#domain/json/parse-json.ts'
import { textIn, valueIn } from '#domain/json/value-in.ts'
import { isJsonObject } from '#domain/json/is-object.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { EventReference } from './finding.ts'

/**
 * How much later than what it records an event can be written. The end of a right is compared when
 * the right is used, and the event of that use is stored a little later. A decision's event also
 * says when it was judged, which may be a little earlier than the event's own time.
 */
export const writtenWithinMs = 60_000

/** An event of the log. Missing fields are `null`; nothing here is trusted yet. */
export interface LoggedEvent {
  /** index in the log; `null`: it has none */
  readonly index: number | null
  /** the exact bytes, as text */
  readonly text: string
  readonly id: string
  readonly type: string
  readonly at: string
  /** `at` in milliseconds since 1970; `NaN` when it is not an instant */
  readonly atMs: number
  readonly actor: {
    readonly type: string
    readonly id: string | null
    readonly ownerId: string | null
    /** who proposed the key to its owner */
    readonly proposedBy: string | null
  }
  readonly runId: string | null
  readonly requestId: string | null
  readonly callId: string | null
  readonly digest: string | null
  readonly policyDigest: string | null
  readonly sequence: number | null
  readonly previous: string | null
  readonly detail: JsonObject
  /** the whole document, for checking its form */
  readonly document: JsonObject
}

/** Parses an event; `null`: no JSON object. Fields of the wrong kind are absent. */
export function readEvent(index: number | null, text: string): LoggedEvent | null {
  const document = parseObject(text)
  if (document === null) return null
  const actor = objectIn(document, 'actor')
  const at = textIn(document, 'at') ?? ''
  const sequence = document['sequence']
  return {
    index,
    text,
    id: textIn(document, 'id') ?? '',
    type: textIn(document, 'type') ?? '',
    at,
    atMs: Date.parse(at),
    actor: {
      type: textIn(actor, 'type') ?? '',
      id: textIn(actor, 'id'),
      ownerId: textIn(actor, 'ownerId'),
      proposedBy: textIn(actor, 'proposedBy'),
    },
    runId: textIn(document, 'runId'),
    requestId: textIn(document, 'requestId'),
    callId: textIn(document, 'callId'),
    digest: textIn(document, 'digest'),
    policyDigest: textIn(document, 'policyDigest'),
    sequence: typeof sequence === 'number' ? sequence : null,
    previous: textIn(document, 'previous'),
    detail: objectIn(document, 'detail'),
    document,
  }
}

/** The reference of a finding to the event. */
export function referenceTo(event: LoggedEvent): {
  event: EventReference
  requestId?: string
  runId?: string
} {
  const { index, id, type, requestId, runId } = event
  return {
    event: {
      ...(index === null ? {} : { index }),
      id,
      type,
      ...(requestId === null ? {} : { requestId }),
    },
    ...(requestId === null ? {} : { requestId }),
    ...(runId === null ? {} : { runId }),
  }
}

/** A number under an own key; `null` for anything else. */
export function numberIn(object: JsonObject, key: string): number | null {
  const value = valueIn(object, key)
  return typeof value === 'number' ? value : null
}

/** An object under an own key; empty for anything else. */
export function objectIn(object: JsonObject, key: string): JsonObject {
  const value = valueIn(object, key)
  return isJsonObject(value) ? value : {}
}

/** The objects of a list under an own key, without other items. */
export function objectsIn(object: JsonObject, key: string): JsonObject[] {
  const value = valueIn(object, key)
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/** The strings of a list under an own key, without other items. */
export function textsIn(object: JsonObject, key: string): string[] {
  const value: unknown = valueIn(object, key)
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
}
