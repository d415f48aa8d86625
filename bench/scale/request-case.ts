import { callDigest, hashBytes } from '#domain/json/digest.ts'
import type { Signer } from '#domain/statements/statement-bytes.ts'

export interface Person {
  readonly id: string
  readonly name: string
}

/** The values that all rows share: people, policy, and the start of the year. */
export interface Year {
  readonly people: readonly Person[]
  readonly queues: readonly string[]
  readonly worker: { readonly name: string; readonly digest: string }
  readonly policyDigest: string
  readonly contentHash: string
  readonly signer: Signer
  /** requests in all; the last `pending` of them wait */
  readonly requests: number
  readonly pending: number
  readonly beganMs: number
}

const apartMs = 5 * 60_000
export const dayMs = 24 * 3_600_000
const kinds = { run: 1, call: 2, request: 3, permit: 4, decision: 5, event: 6 }
const subjects = ['notes', 'invoices', 'deploy', 'customers', 'schema', 'reports', 'pricing']

/** What the rows of one run and its request share. `later`: when the permit ends. */
export function caseAt(year: Year, place: number) {
  const at = new Date(year.beganMs + place * apartMs)
  const id = (kind: keyof typeof kinds, nth = 0): string => idAt(at, kinds[kind], place, nth)
  const tool = place % 40 === 0 ? 'delete_file' : 'write_file'
  const path = `${subjects[place % subjects.length]}/${place}.md`
  return {
    year,
    place,
    isPending: place >= year.requests - year.pending,
    at,
    later: new Date(at.getTime() + 30 * dayMs),
    id,
    ids: { run_id: id('run'), request_id: id('request'), call_id: id('call') },
    queue: year.queues[place % year.queues.length] ?? '',
    starter: personAt(year, place),
    deciders: [personAt(year, place + 7), personAt(year, place + 14)] as const,
    tool,
    path,
    digest: callDigest({ tool, input: { path }, toolHash: year.contentHash }),
    factsDigest: hashBytes(path),
    facts: { toolHash: year.contentHash, bases: [{ path, hash: 'absent' }] },
  }
}

export type Case = ReturnType<typeof caseAt>

/** The people in turn. */
export function personAt({ people }: Year, place: number): Person {
  const person = people[place % people.length]
  if (person === undefined) throw new RangeError('A year takes people')
  return person
}

/** An id that sorts by time, like those of the service. */
function idAt(at: Date, kind: number, place: number, nth: number): string {
  const time = at.getTime().toString(16).padStart(12, '0')
  const rest = place.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${kind}${nth.toString(16)}0-8000-${rest}`
}
