import type { Worker, WorkerDetail } from '#api/schemas/operation/workers.ts'
import type { StartBody } from '#api/schemas/runs/run-actions.ts'
import { fieldsOf, type InputKind } from '../calls/input-fields.ts'
import { fieldTexts, InputError } from '../calls/tool-input.ts'
import { budgetOf } from './budget-fields.tsx'
import type { StartDraft } from './start-draft.ts'
import { runInput } from './task-texts.ts'
import type { StartRefusal } from './use-start.ts'

/** The workspace of the draft, if the worker names it; else the first one of the worker. */
export function workspaceOf(draft: StartDraft, { workspaces }: Worker): string {
  const named = workspaces.find((name) => name === draft.workspace)
  return named ?? workspaces[0] ?? ''
}

/** The start that the form describes. Throws `InputError` for a field that cannot be read. */
export function bodyOf(draft: StartDraft, worker: WorkerDetail): StartBody {
  const attachments = draft.files
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const { task, values, mode } = draft
  return {
    worker: worker.name,
    input: runInput(worker, { task, values }),
    mode,
    ...(worker.workspaces.length > 1 ? { workspace: workspaceOf(draft, worker) } : {}),
    // A run that a person starts here continues after its answer, unless its worker says otherwise.
    conversation: worker.conversation !== false,
    ...(attachments.length === 0 ? {} : { attachments }),
    ...budgetOf(draft),
  }
}

/**
 * Why a run would not start with the present values of the form, as far as that is certain before
 * the service judges it. Null if it can start. `worker`: undefined until one is chosen, `detail`
 * until it is loaded. Pure.
 */
export function whyNotStart(
  draft: StartDraft,
  worker: Worker | undefined,
  detail: WorkerDetail | undefined,
): StartRefusal | null {
  if (worker === undefined) return { message: 'Choose a worker.', field: 'worker' }
  if (detail === undefined) return { message: 'The worker is not loaded yet.', field: null }
  return (
    whyNotWorker(detail) ??
    whyNotRead(() => {
      refuseEmpty(draft, detail)
      bodyOf(draft, detail)
    })
  )
}

/** Why no run of a worker would start, whatever the form contains; null: one can. */
export function whyNotWorker({ name, startable, preview }: WorkerDetail): StartRefusal | null {
  if (!startable) return { message: `You may not start runs of ${name}.`, field: null }
  if (preview.refusal === null) return null
  return { message: 'A run of this worker would not start now: the notice says why.', field: null }
}

/** Why the fields of a form cannot be read; null: they can. `read` throws `InputError`. */
export function whyNotRead(read: () => void): StartRefusal | null {
  try {
    read()
    return null
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    const { field, message } = error
    const isTask = field === 'input' || field.startsWith('budget.')
    return { message, field: isTask ? field : `input.${field}` }
  }
}

/** Kinds of fields that can be empty. */
const emptyKinds: ReadonlySet<InputKind> = new Set(['text', 'lines', 'number', 'json', 'date'])

/** Throws `InputError` for what has to be filled in and is not. */
export function refuseEmpty(
  { task, values }: Pick<StartDraft, 'task' | 'values'>,
  { input }: WorkerDetail,
): void {
  if (input === null) {
    if (task.trim() === '') throw new InputError('input', 'Write the task.')
    return
  }
  const texts = fieldTexts(input, values)
  const field = fieldsOf(input).find(
    ({ name, required, kind }) =>
      required && emptyKinds.has(kind) && (texts[name] ?? '').trim() === '',
  )
  if (field !== undefined) throw new InputError(field.name, `${field.title} is missing.`)
}
