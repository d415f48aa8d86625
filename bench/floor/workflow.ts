import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow'

export const decided = defineSignal<[requestIds: readonly string[]]>('decided')

const { firstLine } = proxyActivities<{ firstLine(): Promise<number> }>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 1 },
})

/** The least cost of a decision on Temporal: a signal, a workflow, one activity. */
export async function floorRun(): Promise<number> {
  let woken = false
  setHandler(decided, () => {
    woken = true
  })
  await condition(() => woken)
  return firstLine()
}
