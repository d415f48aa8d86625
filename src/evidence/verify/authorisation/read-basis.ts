import { textIn } from '#domain/json/value-in.ts'
import type { CountedVote, DecisionBasis } from '#domain/deciding/decision-basis.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { Quorum, QuorumPlace } from '#domain/requests/request.ts'
import { objectIn, textsIn } from '../findings/logged-event.ts'

/** The basis in a `decision.recorded`; `null` when it has none that can be read. */
export function readBasis(detail: JsonObject): DecisionBasis | null {
  const basis = objectIn(detail, 'basis')
  const quorum = readQuorum(objectIn(basis, 'quorum'))
  const expiresAt = textIn(basis, 'expiresAt')
  const selfApproval = basis['selfApproval']
  if (quorum === null || expiresAt === null || typeof selfApproval !== 'boolean') return null
  const judgedAt = textIn(basis, 'judgedAt')
  if (judgedAt === null) return null
  const principals = textsIn(basis, 'principals')
  const [teams, otherIds] = [textsIn(basis, 'teams'), textsIn(basis, 'otherIds')]
  return { quorum, selfApproval, principals, expiresAt, judgedAt, teams, otherIds }
}

/** The votes in a `permit.issued`; `null` when it has none that can be read. */
export function readCounted(detail: JsonObject): CountedVote[] | null {
  const votes = listOf(detail['counted'], (vote): CountedVote | null => {
    const personId = textIn(vote, 'personId')
    const team = textIn(vote, 'team')
    return personId === null || team === null ? null : { personId, team }
  })
  return votes
}

function readQuorum(value: JsonObject): Quorum | null {
  const { any } = value
  if (!Array.isArray(any)) return null
  const alternatives = any.map((places) => listOf(places, readPlace))
  const read = alternatives.filter((places) => places !== null)
  return read.length === alternatives.length ? { any: read } : null
}

function readPlace(place: JsonObject): QuorumPlace | null {
  const team = textIn(place, 'team')
  const { count } = place
  if (team === null || typeof count !== 'number') return null
  const also = textsIn(place, 'also')
  return also.length === 0 ? { team, count } : { team, count, also }
}

/** A list of objects, each parsed; `null` unless all can be. */
function listOf<T>(value: Json | undefined, read: (one: JsonObject) => T | null): T[] | null {
  if (!Array.isArray(value)) return null
  const items = value.map((one) => read(objectIn({ one }, 'one')))
  const valid = items.filter((item) => item !== null)
  return valid.length === items.length ? valid : null
}
