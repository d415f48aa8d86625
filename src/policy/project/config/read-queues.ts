import { editsPolicies } from '#domain/policy/verdict.ts'
import type { Queue } from '../../project-config.ts'
import {
  type Names,
  checkName,
  readBoolean,
  readChoice,
  readDuration,
  readList,
  readOneOrMany,
  readReference,
  warnOfCase,
} from '../../reading/values.ts'
import {
  readEntries,
  readFields,
  fieldSource,
  wrong,
  type Fields,
  type YamlField,
} from '../../reading/yaml-field.ts'
import { escalation, queue as queueSchema } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'

const day = 86_400_000

/**
 * Reads `queues`. Defaults of a queue: no self-approval, permits for 30 days, expiry after 72
 * hours.
 */
export function readQueues(field: YamlField, names: Names): Map<string, Queue> {
  const queues = new Map<string, Queue>()
  const compareCase = warnOfCase()
  for (const [name, value] of readEntries(field)) {
    const queue = checkName(value, name) ? readQueue(name, value, names) : null
    if (queue === null) continue
    compareCase(value, name)
    queues.set(name, queue)
  }
  return queues
}

function readQueue(name: string, field: YamlField, names: Names): Queue | null {
  const fields = readFields(field, keysOf(queueSchema))
  if (fields === null) return null
  const teamField = fields.get('team')
  if (teamField === null) wrong(field, 'has no "team"', 'name the team whose inbox it is')
  const team = teamField === null ? null : readReference(teamField, 'team', names.teams)
  const selfApproval = fields.get('selfApproval')
  const edits = fields.get('edits')
  const signature = fields.get('signature')
  const remind = fields.get('remindAfter')
  const queue = {
    name,
    selfApproval: selfApproval !== null && readBoolean(selfApproval) === true,
    edits: edits === null ? null : readChoice(edits, editsPolicies),
    signature:
      signature !== null && readChoice(signature, ['optional', 'required']) === 'required'
        ? ('required' as const)
        : ('optional' as const),
    permitForMs: durationOr(fields, 'permitFor', 30 * day),
    expiresAfterMs: durationOr(fields, 'expiresAfter', 3 * day),
    remindAfterMs: remind === null ? [] : (readOneOrMany(remind, readDuration) ?? []),
    escalate: readEscalations(fields, names),
    source: fieldSource(field),
  }
  return team === null ? null : { ...queue, team }
}

function durationOr(fields: Fields, key: string, otherwiseMs: number): number {
  const field = fields.get(key)
  return field === null ? otherwiseMs : (readDuration(field) ?? otherwiseMs)
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
