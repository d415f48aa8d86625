import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { benchDecision } from './decision/bench-decision.ts'
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

/** What the command line sets of a benchmark. */
interface BenchOptions {
  readonly runs?: number
}

const benches: Readonly<Record<string, (options: BenchOptions) => Promise<object>>> = {
  decision: benchDecision,
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
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' }, runs: { type: 'string' } },
})
const name = positionals[0] ?? ''
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined
const runs = Number(values.runs ?? Number.NaN)
if (bench === undefined || (values.runs !== undefined && !(runs >= 1))) {
  console.error(`npm run bench -- ${Object.keys(benches).join('|')} [--json FILE] [--runs N]`)
  console.error('--runs: how many runs wait in "waiting" (1000)')
  process.exit(2)
}
const figures = await bench(values.runs === undefined ? {} : { runs })
const text = `${JSON.stringify(figures, null, 2)}\n`
if (values.json !== undefined) await writeFile(values.json, text)
console.log(text)
