import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseBundle, type EvidenceBundle } from '#evidence/bundle/evidence-bundle.ts'
import { isLogFile, type LogFiles } from '#evidence/bundle/log-files.ts'
import { formatStatementKeys } from '#evidence/bundle/statement-keys.ts'
import { archiveEnd, archiveFile, filesOfArchive } from '#evidence/bundle/tar.ts'
import { MalformedEvidence } from '#evidence/malformed-evidence.ts'
import type { Verdict } from '#evidence/verify/findings/finding.ts'
import { verifyBundle } from '#evidence/verify/verify-bundle.ts'
import { verifyLog } from '#evidence/verify/verify-log.ts'
import { exportBundle } from '#services/audit/export/export-bundle.ts'
import { exportOf } from '../../harness/evidence/export-of.ts'
import { witnessedDesk, type WitnessedDesk } from '../../harness/evidence/witnessed-desk.ts'
import { keepCovered } from '../../harness/fixtures/cover-audit.ts'
import { seededChoices, type Choices } from '../../shell/seeded.ts'
import { cpuMsOf } from '../cpu-time.ts'
import { mutateBytes } from './mutate.ts'
import { seedOfRun } from '../seed-of-run.ts'

const olderCheckpoints = 'checkpoints/0.jsonl'
const bundleRounds = 4000
const archiveRounds = 1500
const pieces = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '0',
  '9',
  '\\n',
  '\\u0000',
  '=',
  '+',
  '/',
  'A',
  '-',
  ' ',
  '\ufeff',
]

let auditDesk: WitnessedDesk
let bundle: EvidenceBundle
let archive: Buffer

beforeAll(async () => {
  auditDesk = await witnessedDesk()
  const { desk, signer, requestId } = auditDesk
  const { files } = await exportOf(desk.database.db, signer, desk.api.verifier)
  const parts = [...files].map(([path, bytes]) => archiveFile({ path, bytes }))
  archive = Buffer.concat([...parts, archiveEnd])
  await using _covering = keepCovered(desk.database.db)
  bundle = await exportBundle(desk.api, desk.people.grace.caller, {
    request: requestId,
    keysNote: formatStatementKeys(desk.api.verifier, signer),
    keyReadsAudit: false,
  })
})
afterAll(() => auditDesk.desk[Symbol.asyncDispose]())

const holds = (verdicts: readonly Verdict[]): boolean =>
  verdicts.every(({ outcome }) => outcome === 'holds')

/** A bundle that something happened to: to its bytes, or to its members. */
function mutatedBundle(choose: Choices): string {
  const copy = structuredClone(bundle) as unknown as Record<string, unknown>
  if (choose.percent(60)) {
    for (let change = choose.number(3); change >= 0; change -= 1) changeMember(choose, copy)
  }
  const text = JSON.stringify(copy)
  if (choose.percent(10)) return withSecondMember(choose, text)
  return choose.percent(50) ? text : mutateBytes(choose, Buffer.from(text), pieces).toString('utf8')
}

/** A second member of the same name, before or after the real one. */
function withSecondMember(choose: Choices, text: string): string {
  const places = [...text.matchAll(/(?<=[{,])"([a-zA-Z]+)":/g)]
  const place = choose.one(places)
  const second = `"${place[1]}":${choose.one(['"forged"', '[]', '{}', '0', 'null'])}`
  if (choose.percent(50)) return `${text.slice(0, place.index)}${second},${text.slice(place.index)}`
  const end = text.lastIndexOf('}')
  return `${text.slice(0, end)},${second}${text.slice(end)}`
}

/**
 * One change somewhere in a tree of members: a text, a number, what is there, how often, in which
 * order.
 */
function changeMember(choose: Choices, root: Record<string, unknown>): void {
  let [parent, key]: [Record<string, unknown>, string] = [{ root }, 'root']
  for (;;) {
    const inside = parent[key]
    if (typeof inside !== 'object' || inside === null || (parent !== root && choose.percent(15)))
      break
    const keys = Object.keys(inside)
    if (keys.length === 0) break
    ;[parent, key] = [inside as Record<string, unknown>, choose.one(keys)]
    if (choose.percent(10)) break
  }
  const value = parent[key]
  const list = Array.isArray(parent) ? (parent as unknown[]) : null
  const other = list?.[choose.number(list.length)]
  switch (choose.number(6)) {
    case 0:
      if (list === null) delete parent[key]
      else list.splice(Number(key), 1)
      return
    case 1:
      if (list !== null) list.splice(choose.number(list.length + 1), 0, structuredClone(value))
      return
    case 2:
      if (list === null) return
      list[list.indexOf(other)] = value
      parent[key] = other
      return
    case 3:
      parent[key] = choose.one([null, 0, -1, 1e21, '', [], {}, 'x', [null], '\n', other])
      return
    default:
      if (typeof value === 'number') parent[key] = value + choose.one([-1, 1, 0.5, 1000])
      if (typeof value === 'string')
        parent[key] = mutateBytes(choose, Buffer.from(value), pieces).toString('utf8')
  }
}

/**
 * What a bundle says that the whole one does not, or leaves out of it that must show: not words
 * that are not revealed, the newest events, or those of no request's chain (docs/audit.md).
 */
function otherMeaning(one: EvidenceBundle, whole: EvidenceBundle): string[] {
  const requests = ({ requestId, requestIds }: EvidenceBundle): string =>
    [...new Set([requestId, ...requestIds])].toSorted().join()
  const events = ({ events: all }: EvidenceBundle): string[] =>
    all.map(({ index, event }) => `${index} ${event}`)
  const words = ({ revealed }: EvidenceBundle): string[] =>
    revealed.map(({ hash, document }) => `${hash} ${document}`)
  const [eventList, allEvents] = [events(one), events(whole)]
  return [
    ...(requests(one) === requests(whole) ? [] : [`requests ${requests(one)}`]),
    ...words(one).filter((word) => !words(whole).includes(word)),
    ...eventList.filter((event) => !allEvents.includes(event)),
    ...allEvents.filter((event) => !eventList.includes(event) && !mayBeMissing(event, eventList)),
  ]
}

/**
 * An event that is in the chain of no request, or one of a chain after which none of it follows.
 */
function mayBeMissing(event: string, eventList: readonly string[]): boolean {
  const { requestId, sequence } = documentOf(event)
  if (requestId === undefined) return true
  const later = eventList
    .map(documentOf)
    .filter((other) => other.requestId === requestId && (other.sequence ?? 0) > (sequence ?? 0))
  return later.length === 0
}

function documentOf(event: string): { requestId?: string; sequence?: number } {
  return JSON.parse(event.slice(event.indexOf(' '))) as ReturnType<typeof documentOf>
}

// Rules: security.md 13
test(`none of ${bundleRounds} damaged bundles is said to hold that says anything else`, () => {
  const seed = seedOfRun()
  const choose = seededChoices(seed)
  const { signer, witness } = auditDesk
  const judge = (one: EvidenceBundle): Verdict[] =>
    verifyBundle(one, signer.key, null, { keys: [witness.key], count: 1 })
  expect(holds(judge(parseBundle(JSON.stringify(bundle))))).toBe(true)
  const counts = { malformed: 0, refused: 0, held: 0 }
  for (let round = 0; round < bundleRounds; round += 1) {
    const text = mutatedBundle(choose)
    const what = `SEED=${seed} round ${round}`
    const spentMs = cpuMsOf(() => {
      try {
        const parsed = parseBundle(text)
        if (!holds(judge(parsed))) {
          counts.refused += 1
          return
        }
        counts.held += 1
        expect(otherMeaning(parsed, bundle), what).toEqual([])
        expect(hasDoubledMember(text), `${what}: a member is there twice`).toBe(false)
      } catch (error) {
        if (!(error instanceof MalformedEvidence)) throw new Error(what, { cause: error })
        counts.malformed += 1
      }
    })
    expect(spentMs, what).toBeLessThan(5000)
  }
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(bundleRounds / 50)
})

/** Whether some object of a JSON text has more members than are read of it. */
function hasDoubledMember(text: string): boolean {
  const written = text.replace(/"(?:[^"\\]|\\.)*"/gs, '""').split(':').length - 1
  return written !== membersOf(JSON.parse(text))
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inside = Object.values(value).reduce((sum: number, one) => sum + membersOf(one), 0)
  return inside + (Array.isArray(value) ? 0 : Object.keys(value).length)
}

/**
 * An archive that something happened to: to its files and their order, or to its bytes, with
 * headers that hold again.
 */
function mutatedArchive(choose: Choices): Buffer {
  const parts = membersOfArchive(archive)
  const [one, other] = [choose.number(parts.length), choose.number(parts.length)]
  const [part, another] = [parts[one] ?? archiveEnd, parts[other] ?? archiveEnd]
  switch (choose.number(6)) {
    case 0:
      parts.splice(one, 1)
      break
    case 1:
      ;[parts[one], parts[other]] = [another, part]
      break
    case 2: {
      // The same path twice, with other bytes.
      const twin = Buffer.from(part)
      if (twin.length > 512) twin[512] = (twin[512] ?? 0) ^ 1
      parts.splice(other, 0, choose.percent(50) ? twin : part)
      break
    }
    case 3:
      parts[one] = Buffer.concat([part.subarray(0, 512), another.subarray(512)])
      break
    case 4: {
      const header = Buffer.from(part)
      const field = choose.one([
        [0, 100],
        [124, 12],
        [156, 1],
      ] as const)
      header.fill(0, field[0], field[0] + field[1])
      const text = choose.one(['', '-7', '9', 'x', '77777777777', '0', '../x', 'tile/0/000', '1'])
      header.write(text.slice(0, field[1]), field[0])
      parts[one] = withChecksum(header)
      break
    }
    default:
      return mutateBytes(choose, Buffer.concat([...parts, archiveEnd]), pieces)
  }
  return Buffer.concat([...parts, archiveEnd])
}

function membersOfArchive(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let at = 0; bytes[at] !== 0;) {
    const size = Number.parseInt(bytes.toString('latin1', at + 124, at + 135), 8)
    const end = at + 512 + Math.ceil(size / 512) * 512
    parts.push(bytes.subarray(at, end))
    at = end
  }
  return parts
}

function withChecksum(header: Buffer): Buffer {
  header.fill(' ', 148, 156)
  const sum = header.subarray(0, 512).reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/**
 * As `countersign audit export` unpacks it: at most as many files as there can be in so many bytes.
 */
async function unpacked(bytes: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  let count = 0
  for await (const file of filesOfArchive(chunksOf(bytes))) {
    count += 1
    if (count > bytes.length / 512) throw new Error('an archive has more files than headers')
    if (!isLogFile(file.path)) throw new MalformedEvidence('a file that no log has')
    files.set(file.path, Buffer.from(file.bytes))
  }
  return files
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000)
}

// Rules: security.md 13
test(`none of ${archiveRounds} damaged archives is said to hold that has other files`, async () => {
  const seed = seedOfRun()
  const choose = seededChoices(seed)
  const { signer, witness } = auditDesk
  const judge = (files: Map<string, Buffer>): Verdict[] => {
    const log: LogFiles = { read: (path) => files.get(path) ?? null }
    return verifyLog(log, signer.key, null, { keys: [witness.key], count: 1 })
  }
  const whole = await unpacked(archive)
  expect(holds(judge(whole))).toBe(true)
  const counts = { malformed: 0, refused: 0, held: 0 }
  for (let round = 0; round < archiveRounds; round += 1) {
    const what = `SEED=${seed} round ${round}`
    try {
      const files = await unpacked(mutatedArchive(choose))
      if (holds(judge(files))) {
        counts.held += 1
        // That an older checkpoint was deleted shows nowhere: nothing rests on it (docs/audit.md).
        const expected = new Map(whole)
        if (!files.has(olderCheckpoints)) expected.delete(olderCheckpoints)
        expect(sorted(files), what).toEqual(sorted(expected))
      } else counts.refused += 1
    } catch (error) {
      if (!(error instanceof MalformedEvidence)) throw new Error(what, { cause: error })
      counts.malformed += 1
    }
  }
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(archiveRounds / 50)
})

function sorted(files: ReadonlyMap<string, Buffer>): [string, Buffer][] {
  return [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))
}
