import type { ProjectConfig } from '#policy/project-config.ts'
import type { Tx } from '#store/database.ts'

/** Makes the monthly budgets of the database those of a configuration: each step reads them. */
export async function syncBudgets(tx: Tx, { budgets }: ProjectConfig): Promise<void> {
  await tx.deleteFrom('monthly_budget').execute()
  const lowest = new Map<string, number>()
  for (const { worker, costUsd } of budgets) {
    lowest.set(worker, Math.min(costUsd, lowest.get(worker) ?? Infinity))
  }
  const rows = [...lowest].map(([worker, cost_usd]) => ({ worker, cost_usd }))
  if (rows.length > 0) await tx.insertInto('monthly_budget').values(rows).execute()
}
