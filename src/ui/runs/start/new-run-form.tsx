import { Button, NativeSelect, Textarea } from '@mantine/core'
import type { SubmitEvent } from 'react'
import type { Worker, WorkerDetail } from '#api/schemas/operation/workers.ts'
import { useWorker } from '../../api/queries.ts'
import { useAriaKeys, useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { Keys } from '../../keyboard/keys.tsx'
import { Failure } from '../../states/failure.tsx'
import { Loading } from '../../states/loading.tsx'
import { Notice } from '../../states/notice.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { SentFileField } from '../files/sent-file-field.tsx'
import { useSentFiles } from '../files/use-sent-files.ts'
import { InputError, readInput } from '../calls/tool-input.ts'
import { BudgetFields, budgetOf } from './budget-fields.tsx'
import { ModeField } from './mode-field.tsx'
import { useStartDraft, type StartDraft } from './start-draft.ts'
import { StartPreview } from './start-preview.tsx'
import { TaskField } from './task-field.tsx'
import { useStart, type StartBody } from './use-start.ts'

/** The form beside the preview of the worker that it names. */
export function NewRunForm(props: { workers: readonly Worker[]; link: URLSearchParams }) {
  const { workers, link } = props
  const [draft, change, forget] = useStartDraft(link)
  const { start, busy, refusal, refuse } = useStart(forget)
  const named = workers.find(({ name }) => name === draft.worker)
  const only = workers.filter(({ startable }) => startable)
  const chosen = named ?? (draft.worker === '' && only.length === 1 ? only[0] : undefined)
  const detail = useWorker(chosen?.name ?? null)
  const keys = useAriaKeys('submit')
  const sent = useSentFiles()
  const submit = (): void => {
    if (chosen === undefined) return refuse('Choose a worker.', 'worker')
    if (detail.data === undefined) return
    try {
      void start({ ...bodyOf(draft, detail.data), ...sent.body })
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      const isBudget = error.field.startsWith('budget.')
      refuse(error.message, isBudget ? error.field : `input.${error.field}`)
    }
  }
  useShortcut('submit', submit)
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    submit()
  }
  const errorOf = (field: string): string | null =>
    refusal?.field?.split('.')[0] === field ? refusal.message : null
  const isElsewhere =
    refusal !== null &&
    !['worker', 'workspace', 'input', 'attachments', 'files', 'budget'].some(errorOf)
  return (
    <div className="new-run">
      <form className="card column" aria-label="New run" onSubmit={onSubmit} onPaste={sent.paste}>
        <NativeSelect
          label="Worker"
          required
          withAsterisk={false}
          value={chosen?.name ?? ''}
          error={errorOf('worker')}
          onChange={(event) => change({ worker: event.currentTarget.value })}
          data={[
            ...(chosen === undefined ? [{ value: '', label: 'Choose a worker' }] : []),
            ...workers.map(({ name, startable }) => ({
              value: name,
              label: startable ? name : `${name} (not yours to start)`,
              disabled: !startable,
            })),
          ]}
        />
        {named === undefined && draft.worker !== '' && (
          <p role="alert">
            There is no worker <VisibleText text={draft.worker} />.
          </p>
        )}
        {chosen !== undefined && chosen.description !== '' && (
          <p className="dim small">
            <VisibleText text={chosen.description} />
          </p>
        )}
        {chosen !== undefined && chosen.workspaces.length > 1 && (
          <NativeSelect
            label="Workspace"
            value={workspaceOf(draft, chosen)}
            error={errorOf('workspace')}
            onChange={(event) => change({ workspace: event.currentTarget.value })}
            data={chosen.workspaces}
          />
        )}
        <TaskField
          draft={draft}
          change={change}
          schema={detail.data?.input ?? null}
          refusal={refusal}
        />
        {link.get('task') !== null && draft.task === link.get('task') && (
          <p className="dim small">A link filled in this task. Read it before you start it.</p>
        )}
        <SentFileField sent={sent} error={errorOf('files')} />
        <Textarea
          label="Files of the workspace"
          description="Paths of files for the run to read, one on each line."
          autosize
          minRows={1}
          maxRows={8}
          value={draft.files}
          error={errorOf('attachments')}
          onChange={(event) => change({ files: event.currentTarget.value })}
        />
        <ModeField mode={draft.mode} onChoose={(mode) => change({ mode })} />
        <BudgetFields
          draft={draft}
          change={change}
          limits={detail.data?.limits ?? null}
          refusal={refusal}
        />
        {isElsewhere && (
          <Notice tone="bad" title="The run was not started">
            <VisibleText text={refusal.message} />
          </Notice>
        )}
        <div className="row">
          <Button type="submit" loading={busy} {...keys}>
            Start run
          </Button>
          <span className="dim small">
            <Keys id="submit" />
          </span>
        </div>
      </form>
      <aside className="column" aria-label="Before it starts">
        {chosen === undefined && <p className="dim">Choose a worker to see what it may do.</p>}
        {chosen !== undefined && detail.isPending && <Loading what="the worker" lines={5} />}
        {chosen !== undefined && detail.isError && detail.data === undefined && (
          <Failure error={detail.error} retry={() => void detail.refetch()} />
        )}
        {detail.data !== undefined && <Before worker={detail.data} draft={draft} />}
      </aside>
    </div>
  )
}

function Before({ worker, draft }: { worker: WorkerDetail; draft: StartDraft }) {
  const { refusal } = worker.preview
  return (
    <>
      {refusal !== null && (
        <Notice tone="bad" title="A run of this worker would not start now">
          <VisibleText text={refusal.detail} />
        </Notice>
      )}
      {worker.scripted && <p className="banner">Its model is a script with fixed turns.</p>}
      <StartPreview preview={worker.preview} mode={draft.mode} />
    </>
  )
}

/** The one of the draft, where the worker may work there; else its first. */
function workspaceOf(draft: StartDraft, { workspaces }: Worker): string {
  const named = workspaces.find((name) => name === draft.workspace)
  return named ?? workspaces[0] ?? ''
}

/** What the form asks for. Throws `InputError` for a field that cannot be read. */
function bodyOf(draft: StartDraft, worker: WorkerDetail): StartBody {
  const attachments = draft.files
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const { task, values, mode } = draft
  return {
    worker: worker.name,
    input: worker.input === null ? task : readInput(worker.input, values),
    mode,
    ...(worker.workspaces.length > 1 ? { workspace: workspaceOf(draft, worker) } : {}),
    // A run that a person starts here goes on after its answer, unless its worker says otherwise.
    conversation: worker.conversation !== false,
    ...(attachments.length === 0 ? {} : { attachments }),
    ...budgetOf(draft),
  }
}
