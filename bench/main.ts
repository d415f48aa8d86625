import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { benchDecision } from './decision/bench-decision.ts'
import { benchIdle } from './idle/bench-idle.ts'
import { benchPage } from './page/bench-page.ts'
import { benchRestart } from './restart/bench-restart.ts'
import { benchSequencer } from './sequencer/bench-sequencer.ts'
import { benchScale } from './scale/bench-scale.ts'
import { benchStart } from './start/bench-start.ts'
import { benchTurn } from './turn/bench-turn.ts'
import { benchVerify } from './verify/bench-verify.ts'
import { benchVerdict } from './verdict/bench-verdict.ts'
import { benchWaiting } from './waiting/bench-waiting.ts'

const benches: Readonly<Record<string, () => Promise<object>>> = {
  decision: benchDecision,
  idle: benchIdle,
  page: benchPage,
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
  options: { json: { type: 'string' } },
})
const name = positionals[0] ?? ''
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined
if (bench === undefined) {
  console.error(`npm run bench -- ${Object.keys(benches).join('|')} [--json FILE]`)
  process.exit(2)
}
const figures = await bench()
const text = `${JSON.stringify(figures, null, 2)}\n`
if (values.json !== undefined) await writeFile(values.json, text)
console.log(text)
