import type { Queue } from '../../policy.ts'
import type { Names } from '../../reading/names.ts'
import {
  readEntries,
  readFields,
  spotSource,
  wrong,
  type Fields,
  type Spot,
} from '../../reading/spot.ts'
import {
  checkName,
  readBoolean,
  readChoice,
  readDuration,
  readList,
  readOneOrMany,
  readReference,
  warnOfCase,
} from '../../reading/values.ts'
import { escalation, queue as queueSchema } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'

const day = 86_400_000

/** Reads `queues`. What a queue does not say: no self-approval, permits for 30 days, expiry after 72 hours. */
export function readQueues(spot: Spot, names: Names): Map<string, Queue> {
  const queues = new Map<string, Queue>()
  for (const [name, value] of readEntries(spot)) {
    const queue = checkName(value, name) ? readQueue(name, value, names) : null
    warnOfCase(value, name, queues.values())
    if (queue !== null) queues.set(name, queue)
  }
  return queues
}

function readQueue(name: string, spot: Spot, names: Names): Queue | null {
  const fields = readFields(spot, keysOf(queueSchema))
  if (fields === null) return null
  const teamSpot = fields.get('team')
  if (teamSpot === null) wrong(spot, 'has no "team"', 'name the team whose inbox it is')
  const team = teamSpot === null ? null : readReference(teamSpot, 'team', names.teams)
  const selfApproval = fields.get('selfApproval')
  const edits = fields.get('edits')
  const signature = fields.get('signature')
  const remind = fields.get('remindAfter')
  const queue = {
    name,
    selfApproval: selfApproval !== null && readBoolean(selfApproval) === true,
    edits: edits === null ? null : readChoice(edits, ['approve', 'revise', 'off']),
    signature:
      signature !== null && readChoice(signature, ['optional', 'required']) === 'required'
        ? ('required' as const)
        : ('optional' as const),
    permitForMs: durationOr(fields, 'permitFor', 30 * day),
    expiresAfterMs: durationOr(fields, 'expiresAfter', 3 * day),
    remindAfterMs: remind === null ? [] : (readOneOrMany(remind, readDuration) ?? []),
    escalate: readEscalations(fields, names),
    source: spotSource(spot),
  }
  return team === null ? null : { ...queue, team }
}

function durationOr(fields: Fields, key: string, otherwiseMs: number): number {
  const spot = fields.get(key)
  return spot === null ? otherwiseMs : (readDuration(spot) ?? otherwiseMs)
}

function readEscalations(fields: Fields, names: Names): Queue['escalate'] {
  const spot = fields.get('escalate')
  if (spot === null) return []
  return readList(spot, (item) => {
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
