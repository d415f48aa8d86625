import { serviceNames } from '#runtime/supervisor/supervise.ts'
import { Ours } from '../decision/ours.ts'
import { monotonicMs, rest, round } from '../figures.ts'
import { memoryMiB, processorMs } from '../process-figures.ts'

/** Longer than every timer of the service. */
const idleMs = 60_000
const settleMs = 10_000

/**
 * Measures an idle installation: processor time as percent of one core, transactions of Postgres
 * per second, and the memory of each process, with shared pages counted once.
 */
export async function benchIdle(): Promise<object> {
  await using ours = await Ours.start()
  await rest(settleMs)
  const pids = await Promise.all(serviceNames.map((name) => ours.installation.pidOf(name)))
  const before = await readCpuTimes(pids)
  const transactions = await readCommitCount(ours)
  const began = monotonicMs()
  await rest(idleMs)
  const seconds = (monotonicMs() - began) / 1000
  const after = await readCpuTimes(pids)
  const ofAll = await readCommitCount(ours)
  const memory = await Promise.all(pids.map((pid) => memoryMiB([pid])))
  const percent = after.map((ms, place) => round((ms - (before[place] ?? 0)) / seconds / 10))
  return {
    idleSeconds: round(seconds),
    corePercent: round(percent.reduce((sum, one) => sum + one, 0)),
    corePercentByProcess: byServiceName(percent),
    transactionsPerSecond: round((ofAll - transactions) / seconds),
    memoryMiB: memory.reduce((sum, one) => sum + one, 0),
    memoryMiBByProcess: byServiceName(memory),
  }
}

function readCpuTimes(pids: readonly number[]): Promise<number[]> {
  return Promise.all(pids.map((pid) => processorMs([pid])))
}

/** Transactions that the installation's database has committed so far. */
async function readCommitCount(ours: Ours): Promise<number> {
  const { rows } = await ours.pool.query<{ count: string }>(
    'select xact_commit as count from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0]?.count ?? 0)
}

function byServiceName(values: readonly number[]): Record<string, number> {
  return Object.fromEntries(serviceNames.map((name, place) => [name, values[place] ?? 0]))
}
