import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { becomeSupervisor, resignAsSupervisor } from '../supervisor/single-start.ts'
import { whileHolding } from './hold-file.ts'

/**
 * A process that takes a lock again and again, and kills itself while it holds the lock in every
 * third turn: `node racing-holder.fixture.ts file|supervisor FOLDER`. It writes `in`, or `two at
 * once`, to the file `turns` for each turn.
 */
const [, , kind = '', folder = ''] = process.argv
const inside = `${folder}/inside`

function enter(): void {
  const other = Number(read(inside))
  appendFileSync(`${folder}/turns`, other > 0 && isRunning(other) ? 'two at once\n' : 'in\n')
  writeFileSync(inside, String(process.pid))
}

async function takeTurn(): Promise<void> {
  enter()
  await sleep(Math.random() * 5)
  if (Math.random() < 1 / 3) process.kill(process.pid, 'SIGKILL')
  rmSync(inside)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function isRunning(pid: number): boolean {
  // A killed process is a zombie until its parent has noticed.
  return /\) [^ZX] /.test(read(`/proc/${pid}/stat`))
}

for (;;) {
  if (kind === 'file') {
    await whileHolding({ file: `${folder}/lock`, waitMs: 30_000 }, takeTurn)
    continue
  }
  const isFirst = await becomeSupervisor(folder, () => undefined).then(
    () => true,
    (error: unknown) => {
      if (!String(error).includes('already runs here')) throw error
      return false
    },
  )
  if (isFirst) {
    await takeTurn()
    await resignAsSupervisor(folder)
  } else await sleep(Math.random() * 5)
}
