import { messageRun } from '#services/runs/message-run.ts'
import { deskConfig, deskWorker, type AgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { coverAudit } from '#test/harness/fixtures/cover-audit.ts'
import { proseOf } from '../decision/transcript-text.ts'
import { bytesByTable } from '../stored-bytes.ts'

const messageBytes = 300
const fileBytes = 2_000
const answerBytes = 600

/** What a conversation keeps in Postgres: bytes of rows, without indexes. */
export interface StoredConversation {
  readonly turns: number
  readonly bytes: number
  readonly bytesPerTurn: number
  /** the tables with the most bytes, as a share of a turn */
  readonly bytesPerTurnByTable: Readonly<Record<string, number>>
}

/**
 * A conversation of so many turns, sequenced in the log: to each message the model reads a file of
 * 2 KB that has changed since, and answers. Nothing is summarised.
 */
export async function storedConversation(
  desk: AgentDesk,
  turns: number,
): Promise<StoredConversation> {
  const { db } = desk.database
  const limits = `limits: { turns: ${turns + 1}, calls: ${turns + 1}`
  const worker = deskWorker.replace(/limits: \{ turns: \d+, calls: \d+/, limits)
  // All of it fits into the window, because a summary would need one more step of the scripted
  // model.
  const models = 'models: { scripted-by-the-test: { context: 1000000 } }\n'
  await desk.activate({ 'countersign.yaml': deskConfig + models, 'workers/scribe.md': worker })
  await coverAudit(db)
  const before = await bytesByTable(db)
  const runId = await desk.start({ conversation: true, input: proseOf(messageBytes) })
  for (let turn = 1; turn <= turns; turn += 2) {
    const text = proseOf(messageBytes)
    if (turn > 1) await messageRun(desk.api, desk.people.ada.caller, { runId, text })
    await desk.write('notes/read.md', proseOf(fileBytes))
    const read = { tool: 'read_file', input: { path: 'notes/read.md' } }
    desk.say({ text: 'I read.', calls: [read] }, { text: proseOf(answerBytes) })
    await desk.perform(await desk.turn(runId, turn))
    const { kind } = await desk.turn(runId, turn + 1)
    if (kind === 'calls') throw new Error(`turn ${turn + 1} made calls`)
  }
  await coverAudit(db)
  const after = await bytesByTable(db)
  const added = [...after]
    .map(([table, bytes]) => [table, bytes - (before.get(table) ?? 0)] as const)
    .toSorted(([, one], [, other]) => other - one)
  const bytes = added.reduce((sum, [, each]) => sum + each, 0)
  const perTurn = added.map(([table, each]) => [table, Math.round(each / turns)] as const)
  return {
    turns,
    bytes,
    bytesPerTurn: Math.round(bytes / turns),
    bytesPerTurnByTable: Object.fromEntries(perTurn.filter(([, each]) => each >= 20)),
  }
}
