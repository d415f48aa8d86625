import { TextInput } from '@mantine/core'
import type { WorkerDetail } from '#api/schemas/operation/workers.ts'
import type { RunBudget } from '#domain/runs/run-budget.ts'
import { InputError } from '../calls/tool-input.ts'
import type { StartDraft } from './start-draft.ts'
import type { StartRefusal } from './use-start.ts'

const whole = { pattern: /^[1-9][0-9]{0,8}$/, is: 'a whole number, 1 or more' }
/** An amount such as `0.50`. The service refuses it if the model has no price. */
const amount = { pattern: /^(?!0*\.?0*$)[0-9]{1,6}(\.[0-9]{1,4})?$/, is: 'an amount such as 0.50' }

const parts = [
  { name: 'turns', label: 'Maximum turns', ...whole },
  { name: 'tokens', label: 'Maximum tokens', ...whole },
  { name: 'costUsd', label: 'Maximum USD', ...amount },
] as const satisfies readonly { readonly name: keyof RunBudget; readonly label: string }[]

/** The budget of the run until its next message, within the limits of its worker. */
export function BudgetFields(props: {
  draft: StartDraft
  change: (changes: Partial<StartDraft>) => void
  limits: WorkerDetail['limits'] | null
  refusal: StartRefusal | null
}) {
  const { draft, change, limits, refusal } = props
  return (
    <fieldset className="task-fields column">
      <legend>Budget</legend>
      <p className="dim small">
        At a limit, the run waits until somebody writes to it. Empty: the limits of the worker.
      </p>
      <div className="budget-fields">
        {parts.map(({ name, label }) => (
          <TextInput
            key={name}
            label={label}
            inputMode="decimal"
            value={draft[name]}
            placeholder={placeholderOf(limits?.[name])}
            error={refusal?.field === `budget.${name}` ? refusal.message : null}
            onChange={(event) => change({ [name]: event.currentTarget.value })}
          />
        ))}
      </div>
    </fieldset>
  )
}

/**
 * Reads the budget.
 *
 * @throws InputError with the field `budget.turns`, `budget.tokens` or `budget.costUsd`.
 */
export function budgetOf(draft: StartDraft): { readonly budget?: RunBudget } {
  const limits = parts.flatMap(({ name, label, pattern, is }): [string, number][] => {
    const text = draft[name].replaceAll(/[\s,_]/g, '')
    if (text === '') return []
    if (!pattern.test(text)) throw new InputError(`budget.${name}`, `${label} is ${is}.`)
    return [[name, Number(text)]]
  })
  return limits.length === 0 ? {} : { budget: Object.fromEntries(limits) }
}

function placeholderOf(limit: unknown): string {
  return typeof limit === 'number' ? `at most ${limit.toLocaleString('en')}` : ''
}
