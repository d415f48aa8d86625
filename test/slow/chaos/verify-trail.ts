import { filesOfArchive } from '#evidence/bundle/tar.ts'
import { MalformedEvidence } from '#evidence/malformed-evidence.ts'
import { parseVerifierKey } from '#evidence/note/note-key.ts'
import { verifyLog } from '#evidence/verify/verify-log.ts'
import type { TestSession } from '../../harness/installation/test-session.ts'
import { waitUntil } from '../../harness/wait-until.ts'

/** The last faults may still be felt: a server that comes back, a log that waits for it. */
const exportedWithinMs = 240_000

/** What `countersign audit verify` finds wrong with a full export, as `verdict: problem`. */
export async function problemsOfTrail(auditor: TestSession): Promise<string[]> {
  let files = new Map<string, Uint8Array>()
  let key = ''
  await waitUntil(
    async () => {
      const { status, body } = await auditor.get('/v1/audit/checkpoint')
      if (status !== 200) return `the checkpoint: ${status} ${JSON.stringify(body)}`
      key = body['vkey'] as string
      const answer = await auditor.bytes('/v1/audit/log/archive')
      if (answer.status !== 200) return `the archive: ${answer.status} ${answer.bytes.toString()}`
      const unpacked = await unpack(answer.bytes)
      files = unpacked ?? files
      return unpacked !== null || `an archive of ${answer.bytes.length} bytes is not whole`
    },
    { withinMs: exportedWithinMs, everyMs: 1000 },
  )
  const log = { read: (path: string) => files.get(path) ?? null }
  return verifyLog(log, parseVerifierKey(key), null).flatMap(({ name, outcome, findings, notes }) =>
    outcome === 'holds'
      ? []
      : findings.length === 0
        ? [`${name}: ${outcome}, ${notes.join('; ')}`]
        : findings.map(({ problem }) => `${name}: ${problem}`),
  )
}

/** `null` for what is no whole archive: its connection ended before it did. */
async function unpack(bytes: Buffer): Promise<Map<string, Uint8Array> | null> {
  const files = new Map<string, Uint8Array>()
  const chunks = (async function* () {
    yield bytes
  })()
  try {
    for await (const file of filesOfArchive(chunks)) files.set(file.path, Buffer.from(file.bytes))
    return files
  } catch (error) {
    if (error instanceof MalformedEvidence) return null
    throw error
  }
}

/** Clocks that were wrong are all that a trail may show of chaos. */
export function isAboutClocks(problem: string): boolean {
  return /\bclock\b|is dated .* it was put in afterwards/.test(problem)
}
