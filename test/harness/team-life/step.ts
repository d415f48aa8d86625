import fc from 'fast-check'

/**
 * The next action of a person, or event of the installation. The numbers choose among the existing
 * objects.
 */
export interface Step {
  readonly do: StepKind
  readonly who: number
  readonly which: number
  readonly amount: number
}

const weights = {
  'time passes': 26,
  'a run starts': 20,
  'a conversation starts': 7,
  'a conversation is closed': 3,
  'a run is forked': 6,
  'a schedule is due': 4,
  vote: 16,
  'votes race': 8,
  'many at once': 4,
  claim: 4,
  comment: 3,
  edit: 5,
  extend: 3,
  'take back': 4,
  message: 5,
  cancel: 3,
  settle: 4,
  'teams change': 5,
  'somebody is disabled': 0.4,
  'Temporal goes down': 1.2,
  'Temporal comes back': 6,
  'connections are cut': 2,
  'a process is killed': 2,
  'a host dies': 3,
  'everything is down for days': 0.3,
} as const
export type StepKind = keyof typeof weights

const number = fc.nat({ max: 1_000_000 })
const step: fc.Arbitrary<Step> = fc.record({
  do: fc.oneof(
    ...(Object.keys(weights) as StepKind[]).map((kind) => ({
      weight: Math.round(weights[kind] * 10),
      arbitrary: fc.constant(kind),
    })),
  ),
  who: number,
  which: number,
  amount: number,
})

/** The steps of a seed, the same at every call. */
export function stepsOf(seed: number, count: number): Step[] {
  return fc.sample(fc.noBias(step), { seed, numRuns: count })
}
