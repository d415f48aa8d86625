import { actorTypes } from '#domain/actor.ts'
import { auditEventTypes, type AuditEventType } from '#domain/audit-event.ts'
import { isObject } from '#domain/json/is-object.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { parseEvent } from '#store/audit/event-document.ts'
import { isUuid } from '#domain/requests/reference-forms.ts'

/** An event of the trail, as far as its reader depends on it. */
export interface StoredEvent {
  readonly type: AuditEventType
  readonly runId?: string
  readonly requestId?: string
  readonly callId?: string
  readonly detail: JsonObject
}

/** An event by its document; `null` for a text that is no event of the service. */
export function readStoredEvent(document: string): StoredEvent | null {
  const event: Readonly<Record<string, unknown>> | null = parseEvent(document)
  return event !== null && isStoredEvent(event) ? event : null
}

function isStoredEvent(
  event: Readonly<Record<string, unknown>>,
): event is StoredEvent & Readonly<Record<string, unknown>> {
  const { id, at, type, actor, channel, runId, requestId, callId, detail } = event
  const types: readonly unknown[] = auditEventTypes
  const kinds: readonly unknown[] = actorTypes
  return (
    [id, at, channel].every((text) => typeof text === 'string') &&
    types.includes(type) &&
    isObject(actor) &&
    kinds.includes(actor['type']) &&
    [actor['id'], actor['name']].every((text) => text === undefined || typeof text === 'string') &&
    [runId, requestId, callId].every((about) => about === undefined || isId(about)) &&
    isObject(detail)
  )
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && isUuid(value)
}
