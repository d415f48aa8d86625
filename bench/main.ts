import { writeFile } from 'node:fs/promises'
import { readBenchCommand, type BenchOptions } from './command-line.ts'
import { benchDecision } from './decision/bench-decision.ts'
import { benchHook } from './hook/bench-hook.ts'
import { benchIdle } from './idle/bench-idle.ts'
import { benchPage } from './page/bench-page.ts'
import { benchPages } from './pages/bench-pages.ts'
import { benchProcesses } from './processes/bench-processes.ts'
import { benchRestart } from './restart/bench-restart.ts'
import { benchSequencer } from './sequencer/bench-sequencer.ts'
import { benchScale } from './scale/bench-scale.ts'
import { benchStart } from './start/bench-start.ts'
import { benchTurn } from './turn/bench-turn.ts'
import { benchVerify } from './verify/bench-verify.ts'
import { benchVerdict } from './verdict/bench-verdict.ts'
import { benchWaiting } from './waiting/bench-waiting.ts'

const benches = {
  decision: benchDecision,
  hook: benchHook,
  idle: benchIdle,
  page: benchPage,
  pages: benchPages,
  processes: benchProcesses,
  restart: benchRestart,
  sequencer: benchSequencer,
  scale: benchScale,
  start: benchStart,
  turn: benchTurn,
  verdict: benchVerdict,
  verify: benchVerify,
  waiting: benchWaiting,
} satisfies Readonly<Record<string, (options: BenchOptions) => Promise<object>>>

/** Those of the object above, each by its own name. */
const names = Object.keys(benches) as (keyof typeof benches)[]
const command = readBenchCommand(process.argv.slice(2), names)
if ('text' in command) {
  const print = command.status === 0 ? console.log : console.error
  print(command.text)
  process.exit(command.status)
}
const figures = await benches[command.name](command.options)
const text = `${JSON.stringify(figures, null, 2)}\n`
// Printed first: the figures took minutes, and the file may not be writable.
console.log(text)
if (command.json !== null) await writeFile(command.json, text)
