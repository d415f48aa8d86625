import { Button, Textarea } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import type { Worker, WorkerDetail } from '#api/schemas/operation/workers.ts'
import { useWorker } from '../../api/queries.ts'
import { useAriaKeys, useShortcut } from '../../keyboard/keyboard-provider.tsx'
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
import { ModeField } from './mode-field.tsx'
import { bodyOf, whyNotStart } from './start-body.ts'
import { StartButton } from './start-button.tsx'
import { StartPreview } from './start-preview.tsx'
import { TaskField } from './task-field.tsx'
import { useStart } from './use-start.ts'
import { WorkerFields } from './worker-fields.tsx'
import { verbs } from '../../words/verbs.ts'

/** The fields of the form that say by themselves what is wrong with them. */
const ownErrors = ['worker', 'workspace', 'input', 'attachments', 'files', 'budget'] as const

/** The form of a new run, beside the preview of its worker. */
export function NewRunForm(props: { workers: readonly Worker[]; link: StartLink }) {
  const form = useStartForm(props.workers, props.link)
  const { draft, change, detail, sent, refusal, submit } = form
  const errorOf = (field: (typeof ownErrors)[number]): string | null =>
    refusal?.field?.split('.')[0] === field ? refusal.message : null
  const isElsewhere = refusal !== null && !ownErrors.some(errorOf)
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    submit()
  }
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
        <WorkerFields
          workers={props.workers}
          selection={form.selection}
          draft={draft}
          change={change}
          errorOf={errorOf}
        />
        <TaskField
          draft={draft}
          change={change}
          schema={detail.data?.input ?? null}
          refusal={refusal}
        />
        {detail.data !== undefined && (
          <LinkNotice link={props.link} draft={draft} schema={detail.data.input} />
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
          <StartButton words={verbs.startRun} busy={form.busy} obstacle={form.obstacle} />
          {detail.data !== undefined && <CopyForm draft={draft} worker={detail.data} />}
        </div>
      </form>
      <aside className="column" aria-label="Before it starts">
        {form.selection === undefined ? (
          <p className="dim">Choose a worker to see what it may do.</p>
        ) : (
          <BeforeStart detail={detail} draft={draft} />
        )}
      </aside>
    </div>
  )
}

/** The draft of a start, its worker, and the answer to the last attempt. */
function useStartForm(workers: readonly Worker[], link: StartLink) {
  const [draft, change, forget] = useStartDraft(link)
  const { start, busy, refusal: answer } = useStart(forget)
  const [isTried, setTried] = useState(false)
  const selection = selectedWorker(workers, draft)
  const detail = useWorker(selection?.name ?? null)
  const sent = useSentFiles()
  const obstacle = whyNotStart(draft, selection, detail.data)
  const submit = (): void => {
    if (obstacle !== null) return setTried(true)
    setTried(false)
    if (detail.data !== undefined) void start({ ...bodyOf(draft, detail.data), ...sent.body })
  }
  useShortcut('submit', submit)
  // After an attempt, the obstacle is shown at its field until it is corrected.
  const refusal = isTried && obstacle !== null ? obstacle : answer
  return { draft, change, selection, detail, sent, obstacle, refusal, busy, submit }
}

/** The worker of the draft, or the only one that the person may start. */
function selectedWorker(workers: readonly Worker[], draft: StartDraft): Worker | undefined {
  if (draft.worker !== '') return workers.find(({ name }) => name === draft.worker)
  const startable = workers.filter((worker) => worker.startable)
  return startable.length === 1 ? startable[0] : undefined
}

/** Copies a link that fills in this form. */
function CopyForm({ draft, worker }: { draft: StartDraft; worker: WorkerDetail }) {
  const copy = (): void => {
    const { origin, pathname } = window.location
    void copyText(`${origin}${pathname}?${linkOf(draft, worker)}`, 'Link')
  }
  const keys = useAriaKeys('copyLink')
  useShortcut('copyLink', copy)
  return (
    <Button
      variant="default"
      size="compact-sm"
      title="A link to this form with its worker and task. It starts nothing."
      onClick={copy}
      {...keys}
    >
      {verbs.copyLink}
    </Button>
  )
}

/** What a run of the worker may do, once that is loaded. */
function BeforeStart(props: { detail: ReturnType<typeof useWorker>; draft: StartDraft }) {
  const { data: worker, isPending } = props.detail
  if (isPending) return <Loading what="the worker" lines={5} />
  if (worker === undefined) return <Failure query={props.detail} />
  const { refusal } = worker.preview
  return (
    <>
      {refusal !== null && (
        <Notice tone="bad" title="A run of this worker would not start now">
          <VisibleText text={refusal.detail.replace(/\.?$/, '.')} />{' '}
          <Button size="compact-sm" variant="default" onClick={() => void props.detail.refetch()}>
            Check again
          </Button>
        </Notice>
      )}
      {worker.scripted && <p className="banner">Its model is a script with fixed turns.</p>}
      <StartPreview preview={worker.preview} mode={props.draft.mode} />
    </>
  )
}
