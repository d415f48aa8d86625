import { expect } from 'vitest'
import { coverAudit } from '../fixtures/cover-audit.ts'
import { brokenAtOnce, brokenInLife } from './judge-life.ts'
import { stepsOf } from './step.ts'
import { takeStep } from './take-step.ts'
import type { TeamLife } from './team-life.ts'

/**
 * Takes random steps for a given time or number, and checks invariants of the touched rows after
 * each step, and of all rows after every few. An error names the seed, which repeats the steps, and
 * the last steps.
 */
export async function liveOn(
  life: TeamLife,
  options: {
    readonly seed: number
    readonly forMs: number
    readonly maxSteps: number
    readonly judgeEvery: number
  },
): Promise<number> {
  const { seed, forMs, maxSteps, judgeEvery } = options
  const until = (await life.clock.now()).getTime() + forMs
  const trace: string[] = []
  let stepsTaken = 0
  const isOver = async (): Promise<boolean> =>
    stepsTaken >= maxSteps || (await life.clock.now()).getTime() >= until
  for (let chapter = 0; !(await isOver()); chapter += 1) {
    for (const step of stepsOf(seed + chapter, 100)) {
      if (await isOver()) break
      const at = await life.clock.now()
      trace.push(`${at.toISOString()} ${step.do} ${step.who} ${step.which} ${step.amount}`)
      const trail = (): string =>
        `seed ${seed}, step ${stepsTaken}, after\n${trace.slice(-12).join('\n')}`
      try {
        await takeStep(life, step)
        stepsTaken += 1
        const judge = stepsTaken % judgeEvery === 0 ? brokenInLife : brokenAtOnce
        expect(await judge(life)).toEqual([])
      } catch (error) {
        throw new Error(trail(), { cause: error })
      }
    }
    await Promise.all([coverAudit(life.db), coverAudit(life.db)])
  }
  return stepsTaken
}
