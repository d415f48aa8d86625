import { Button, NativeSelect, Textarea } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import type { Worker, WorkerDetail } from '#api/schemas/operation/workers.ts'
import { useWorker, useMe } from '../../api/queries.ts'
import { useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { Failure } from '../../states/failure.tsx'
import { Loading } from '../../states/loading.tsx'
import { Notice } from '../../states/notice.tsx'
import { copyText } from '../../text/copy-text.ts'
import { VisibleText } from '../../text/visible-text.tsx'
import { SentFileField } from '../files/sent-file-field.tsx'
import { useSentFiles } from '../files/use-sent-files.ts'
import { BudgetFields } from './budget-fields.tsx'
import { LinkNotice } from './link-notice.tsx'
import { useStartDraft, type StartDraft } from './start-draft.ts'
import { linkOf, type StartLink } from './start-link.ts'
import { bodyOf, whyNotStart, workspaceOf } from './start-body.ts'
import { StartButton } from './start-button.tsx'
import { StartPreview } from './start-preview.tsx'
import { TaskField } from './task-field.tsx'
import { useStart } from './use-start.ts'
import { verbs } from '../../words/verbs.ts'
import type { RunMode } from '#domain/policy/verdict.ts'
import { RadioField, type RadioOption } from '../../states/radio-field.tsx'

/** The form of a new run, beside the preview of its worker. */
export function NewRunForm(props: { workers: readonly Worker[]; link: StartLink }) {
  const { workers, link } = props
  const [draft, change, forget] = useStartDraft(link)
  const { start, busy, refusal: answer } = useStart(forget)
  const [isTried, setTried] = useState(false)
  const named = workers.find(({ name }) => name === draft.worker)
  const only = workers.filter(({ startable }) => startable)
  const selection = named ?? (draft.worker === '' && only.length === 1 ? only[0] : undefined)
  const detail = useWorker(selection?.name ?? null)
  const sent = useSentFiles()
  const obstacle = whyNotStart(draft, selection, detail.data)
  // At its field once somebody has tried, until it is corrected.
  const refusal = isTried && obstacle !== null ? obstacle : answer
  const submit = (): void => {
    if (obstacle !== null) return setTried(true)
    setTried(false)
    if (detail.data !== undefined) void start({ ...bodyOf(draft, detail.data), ...sent.body })
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
      <form
        className="card column"
        aria-label={verbs.newRun}
        noValidate
        onSubmit={onSubmit}
        onPaste={sent.paste}
        {...sent.drop}
      >
        <NativeSelect
          label="Worker"
          required
          withAsterisk={false}
          value={selection?.name ?? ''}
          error={errorOf('worker')}
          onChange={(event) => change({ worker: event.currentTarget.value })}
          data={[
            ...(selection === undefined ? [{ value: '', label: 'Choose a worker' }] : []),
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
        {selection !== undefined && selection.description !== '' && (
          <p className="dim small">
            <VisibleText text={selection.description} />
          </p>
        )}
        {selection !== undefined && selection.workspaces.length > 1 && (
          <NativeSelect
            label="Workspace"
            value={workspaceOf(draft, selection)}
            error={errorOf('workspace')}
            onChange={(event) => change({ workspace: event.currentTarget.value })}
            data={selection.workspaces}
          />
        )}
        <TaskField
          draft={draft}
          change={change}
          schema={detail.data?.input ?? null}
          refusal={refusal}
        />
        {detail.data !== undefined && (
          <LinkNotice link={link} draft={draft} schema={detail.data.input} />
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
        <div className="row spread">
          <StartButton words={verbs.startRun} busy={busy} obstacle={obstacle} />
          {detail.data !== undefined && <CopyForm draft={draft} worker={detail.data} />}
        </div>
      </form>
      <aside className="column" aria-label="Before it starts">
        {selection === undefined && <p className="dim">Choose a worker to see what it may do.</p>}
        {selection !== undefined && detail.isPending && <Loading what="the worker" lines={5} />}
        {selection !== undefined && detail.isError && detail.data === undefined && (
          <Failure error={detail.error} retry={() => void detail.refetch()} />
        )}
        {detail.data !== undefined && (
          <BeforeStart worker={detail.data} draft={draft} onCheck={() => void detail.refetch()} />
        )}
      </aside>
    </div>
  )
}

/** Copies a link that fills in this form. */
function CopyForm({ draft, worker }: { draft: StartDraft; worker: WorkerDetail }) {
  const copy = (): void => {
    const { origin, pathname } = window.location
    void copyText(`${origin}${pathname}?${linkOf(draft, worker)}`, 'Link')
  }
  return (
    <Button
      variant="default"
      size="compact-sm"
      title="A link to this form with its worker and task. It starts nothing."
      onClick={copy}
    >
      {verbs.copyLink}
    </Button>
  )
}

function BeforeStart(props: { worker: WorkerDetail; draft: StartDraft; onCheck: () => void }) {
  const { worker, draft, onCheck } = props
  const { refusal } = worker.preview
  return (
    <>
      {refusal !== null && (
        <Notice tone="bad" title="A run of this worker would not start now">
          <VisibleText text={refusal.detail} />{' '}
          <Button size="compact-sm" variant="default" onClick={onCheck}>
            Check again
          </Button>
        </Notice>
      )}
      {worker.scripted && <p className="banner">Its model is a script with fixed turns.</p>}
      <StartPreview preview={worker.preview} mode={draft.mode} />
    </>
  )
}

const ask: RadioOption<RunMode> = {
  value: 'prompt',
  label: 'Prompt',
  description: 'Calls that ask wait for a person.',
}
const strict: RadioOption<RunMode> = {
  value: 'strict',
  label: 'Strict',
  description: 'Only pre-approved calls run. Calls that would ask are denied at once.',
}
const approveAll: RadioOption<RunMode> = {
  value: 'approve_all',
  label: 'Approve all',
  description:
    'Nobody is asked. Calls that would ask run in your name. Calls that policy blocks stay blocked.',
}

/** The mode of the run and its consequences; `approve_all` only for people with the right. */
function ModeField(props: { mode: RunMode; onChoose: (mode: RunMode) => void }) {
  const { person } = useMe()
  const mayApproveAll = person.rights.includes('startApproveAll')
  return (
    <RadioField
      legend="Mode"
      name="mode"
      options={mayApproveAll ? [ask, strict, approveAll] : [ask, strict]}
      value={props.mode}
      onChoose={props.onChoose}
      disabled={false}
    />
  )
}
