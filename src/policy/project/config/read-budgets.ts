import type { MonthlyBudget } from '../../project-config.ts'
import { readItems, readFields, scalarOf, type YamlField } from '../../reading/yaml-field.ts'
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

function readBudget(field: YamlField, workers: ReadonlySet<string>): MonthlyBudget | null {
  const fields = readFields(field, keysOf(budget))
  if (fields === null) return null
  const worker = fields.readNeeded('worker', 'name a worker, or write `worker: "*"`', (at) =>
    scalarOf(at) === '*' ? '*' : readReference(at, 'worker', workers),
  )
  const period = fields.readNeeded('period', 'write `period: month`', (at) =>
    readChoice(at, ['month']),
  )
  const costUsd = fields.readNeeded('costUsd', 'write `costUsd: 200`', (at) =>
    readAmount(at, 0.000001, 100_000_000),
  )
  return worker === null || period === null || costUsd === null ? null : { worker, costUsd }
}
