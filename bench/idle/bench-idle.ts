import { serviceNames } from '#runtime/supervisor/supervise.ts'
import { Ours } from '../decision/ours.ts'
import { monotonicMs, rest, round } from '../figures.ts'
import { memoryMiB, parentOf, processorMs } from '../process-figures.ts'

/** Longer than every timer of the service. */
const idleMs = 60_000
const settleMs = 10_000

/**
 * Measures an idle installation: processor time as percent of one core, transactions of Postgres
 * per second, and the memory of each process, with shared pages counted once. Figures outside of
 * the four services belong to the supervisor.
 */
export async function benchIdle(): Promise<object> {
  await using ours = await Ours.start()
  await rest(settleMs)
  const services = await Promise.all(serviceNames.map((name) => ours.installation.pidOf(name)))
  const pids = [...services, await parentOf(services[0] ?? 0)]
  const before = await readCpuTimes(pids)
  const transactions = await readCommitCount(ours)
  const began = monotonicMs()
  await rest(idleMs)
  const seconds = (monotonicMs() - began) / 1000
  const after = await readCpuTimes(pids)
  const ofAll = await readCommitCount(ours)
  const memory = await Promise.all(pids.map((pid) => memoryMiB([pid])))
  const percent = after.map((ms, index) => round((ms - (before[index] ?? 0)) / seconds / 10))
  return {
    idleSeconds: round(seconds),
    corePercent: percent.at(-1),
    corePercentByProcess: byProcess(percent),
    transactionsPerSecond: round((ofAll - transactions) / seconds),
    memoryMiB: memory.at(-1),
    memoryMiBByProcess: byProcess(memory),
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

/** Figures of the services, then of the supervisor with all of them. */
function byProcess(figures: readonly number[]): Record<string, number> {
  const ofServices = figures.slice(0, serviceNames.length)
  const others = (figures.at(-1) ?? 0) - ofServices.reduce((sum, one) => sum + one, 0)
  const named = serviceNames.map((name, index) => [name, ofServices[index] ?? 0])
  return { ...Object.fromEntries(named), supervisor: round(others) }
}
