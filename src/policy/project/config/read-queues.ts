import { editsPolicies } from '#domain/policy/verdict.ts'
import type { Queue } from '../../project-config.ts'
import {
  type Names,
  readBoolean,
  readChoice,
  readDuration,
  readList,
  readNamed,
  readOneOrMany,
  readReference,
  warnOfCase,
} from '../../reading/values.ts'
import {
  readFields,
  fieldSource,
  wrong,
  type Fields,
  type YamlField,
} from '../../reading/yaml-field.ts'
import { escalation, queue as queueSchema } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'

const day = 86_400_000

/** Reads `queues`. Defaults: no self-approval, permits for 30 days, expiry after 72 hours. */
export function readQueues(field: YamlField, names: Names): Map<string, Queue> {
  const compareCase = warnOfCase()
  return readNamed(field, (value, name) => {
    const queue = readQueue(name, value, names)
    if (queue !== null) compareCase(value, name)
    return queue
  })
}

function readQueue(name: string, field: YamlField, names: Names): Queue | null {
  const fields = readFields(field, keysOf(queueSchema))
  if (fields === null) return null
  const team = fields.readNeeded('team', 'name the team whose inbox it is', (at) =>
    readReference(at, 'team', names.teams),
  )
  const queue = {
    name,
    selfApproval: fields.read('selfApproval', readBoolean, false) === true,
    edits: fields.read('edits', (at) => readChoice(at, editsPolicies), null),
    signature:
      fields.read('signature', (at) => readChoice(at, ['optional', 'required'] as const), null) ??
      'optional',
    permitForMs: fields.read('permitFor', readDuration, null) ?? 30 * day,
    expiresAfterMs: fields.read('expiresAfter', readDuration, null) ?? 3 * day,
    remindAfterMs: fields.read('remindAfter', (at) => readOneOrMany(at, readDuration) ?? [], []),
    escalate: readEscalations(fields, names),
    source: fieldSource(field),
  }
  return team === null ? null : { ...queue, team }
}

function readEscalations(fields: Fields, names: Names): Queue['escalate'] {
  const field = fields.get('escalate')
  if (field === null) return []
  return readList(field, (item) => {
    const entry = readFields(item, keysOf(escalation))
    if (entry === null) return null
    const after = entry.get('after')
    const teams = entry.get('addTeams')
    if (after === null || teams === null) {
      wrong(item, 'is not complete', 'write `{ after: 24h, addTeams: [security] }`')
      return null
    }
    const afterMs = readDuration(after)
    const addTeams = readOneOrMany(teams, (one) => readReference(one, 'team', names.teams))
    return afterMs === null || addTeams === null ? null : { afterMs, addTeams }
  })
}
