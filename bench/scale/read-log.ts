import { generateKeyPairSync } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sequenceAudit } from '#delivery/audit-log/audit-sequencer.ts'
import { formatStatementKeys } from '#evidence/bundle/statement-keys.ts'
import { noteKey } from '#evidence/note/note-key.ts'
import { exportAudit } from '#services/audit/export-audit.ts'
import { logAsFiles } from '#services/audit/export/log-as-files.ts'
import { round } from '../figures.ts'
import { verifyFolder } from '../verify/verify-folder.ts'
import type { FilledDatabase } from './fill-database.ts'

/**
 * Sequences the whole trail, exports it in both formats and verifies the log. Returns the events
 * per second of each. Throws unless everything verifies.
 */
export async function readLog({ service, auditor }: FilledDatabase): Promise<object> {
  const { ctx } = service
  const keys = generateKeyPairSync('ed25519')
  const key = noteKey('countersign/bench', keys.publicKey)
  const signer = { key, privateKey: keys.privateKey }
  const sequenced = await rateOf(async () => {
    let count = 0
    for (;;) {
      const appended = await sequenceAudit(ctx.db, signer)
      if (appended === 0) return count
      count += appended
    }
  })
  const lines = await rateOf(async () => {
    const exported = await exportAudit(ctx, auditor.caller, {
      format: 'jsonl',
      keyReadsAudit: false,
    })
    let count = 0
    for await (const line of exported.lines) count += line === '' ? 0 : 1
    return count
  })
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  try {
    const exported = await rateOf(async () => {
      const note = formatStatementKeys(ctx.verifier, signer)
      for await (const { path, bytes } of logAsFiles(ctx.db, note)) {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        await writeFile(join(folder, path), bytes)
      }
      return sequenced.events
    })
    const verified = await rateOf(async () => {
      verifyFolder(folder, key)
      return sequenced.events
    })
    return { sequenced, exportedLines: lines, exportedLog: exported, verified }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Rate {
  readonly events: number
  readonly seconds: number
  readonly eventsPerSecond: number
}

async function rateOf(work: () => Promise<number>): Promise<Rate> {
  const began = performance.now()
  const events = await work()
  const seconds = (performance.now() - began) / 1000
  return { events, seconds: round(seconds), eventsPerSecond: Math.round(events / seconds) }
}
