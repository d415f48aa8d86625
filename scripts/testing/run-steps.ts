import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'

/** One command of the project. `program` is the name of a file in node_modules/.bin. */
export interface Step {
  name: string
  program: string
  args: readonly string[]
}

/** How a step ended; `output` is what it printed, both streams in order. */
export interface StepResult {
  step: Step
  exitCode: number
  output: string
  tookMs: number
}

const bin = join(import.meta.dirname, '..', '..', 'node_modules', '.bin')

/**
 * Runs at most `atOnce` steps at the same time, and prints the result of each. Prints the whole
 * output of a failed step and no other.
 */
export async function runSteps(steps: readonly Step[], atOnce: number): Promise<StepResult[]> {
  const results: StepResult[] = []
  const queue = [...steps]
  const lane = async (): Promise<void> => {
    for (let step = queue.shift(); step; step = queue.shift()) {
      const result = await runStep(step)
      results.push(result)
      const mark = result.exitCode === 0 ? 'ok  ' : 'FAIL'
      console.log(`${mark} ${step.name} (${(result.tookMs / 1000).toFixed(1)} s)`)
      if (result.exitCode !== 0) console.log(result.output.trimEnd())
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return results
}

/** Runs one step. `inherit` prints its output at once instead of collecting it. */
export function runStep(
  step: Step,
  output: 'collect' | 'inherit' = 'collect',
): Promise<StepResult> {
  const startedAt = performance.now()
  const { promise, resolve, reject } = Promise.withResolvers<StepResult>()
  const child = spawn(join(bin, step.program), step.args, {
    cwd: join(bin, '..', '..'),
    stdio: output === 'inherit' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` },
  })
  const parts: Buffer[] = []
  child.stdout?.on('data', (part: Buffer) => parts.push(part))
  child.stderr?.on('data', (part: Buffer) => parts.push(part))
  child.once('error', reject)
  child.once('close', (code, signal) => {
    if (signal) parts.push(Buffer.from(`\nended by ${signal}\n`))
    const tookMs = performance.now() - startedAt
    resolve({ step, exitCode: code ?? 1, output: Buffer.concat(parts).toString(), tookMs })
  })
  return promise
}
