import type { MonthlyBudget } from '../../project-config.ts'
import { readItems, readFields, scalarOf, wrong, type YamlField } from '../../reading/yaml-field.ts'
import { readAmount, readChoice, readReference } from '../../reading/values.ts'
import { keysOf } from '../../schema/parts.ts'
import { budget } from '../../schema/starts.ts'

/** Reads `budgets`: the monthly costs of models. Of two for one worker the lower one applies. */
export function readBudgets(
  field: YamlField,
  workers: ReadonlySet<string>,
): readonly MonthlyBudget[] {
  return readItems(field).flatMap((item) => {
    const entry = readBudget(item, workers)
    return entry === null ? [] : [entry]
  })
}

const examples = {
  worker: 'name a worker, or write `worker: "*"`',
  period: 'write `period: month`',
  costUsd: 'write `costUsd: 200`',
} as const

function readBudget(field: YamlField, workers: ReadonlySet<string>): MonthlyBudget | null {
  const fields = readFields(field, keysOf(budget))
  if (fields === null) return null
  const readNeeded = <T>(
    key: keyof typeof examples,
    read: (at: YamlField) => T | null,
  ): T | null => {
    const at = fields.get(key)
    if (at === null) wrong(field, `has no "${key}"`, examples[key])
    return at === null ? null : read(at)
  }
  const worker = readNeeded('worker', (at) =>
    scalarOf(at) === '*' ? '*' : readReference(at, 'worker', workers),
  )
  const period = readNeeded('period', (at) => readChoice(at, ['month']))
  const costUsd = readNeeded('costUsd', (at) => readAmount(at, 0.000001, 100_000_000))
  return worker === null || period === null || costUsd === null ? null : { worker, costUsd }
}
