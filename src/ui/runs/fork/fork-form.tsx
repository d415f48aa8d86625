import { isJsonObject } from '#domain/json/is-object.ts'
import { Textarea } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { Link } from 'react-router'
import type { WorkerDetail } from '#api/schemas/operation/workers.ts'
import type { ForkBody } from '#api/schemas/runs/run-actions.ts'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { callApi } from '../../api/call-api.ts'
import { useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { useDraft } from '../../states/draft.ts'
import { Notice } from '../../states/notice.tsx'
import { RadioField } from '../../states/radio-field.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { SentFileField } from '../files/sent-file-field.tsx'
import { useSentFiles } from '../files/use-sent-files.ts'
import { refuseEmpty, whyNotRead, whyNotWorker } from '../start/start-body.ts'
import { runInput, type TaskTexts } from '../start/task-texts.ts'
import { StartButton } from '../start/start-button.tsx'
import { TaskField } from '../start/task-field.tsx'
import { useNewRun, type StartRefusal } from '../start/use-start.ts'
import { valuesOf } from '../calls/tool-input.ts'
import { verbs } from '../../words/verbs.ts'

const versions = [
  { value: 'current', label: 'The current version' },
  { value: 'pinned', label: 'The version of that run' },
] as const

interface ForkSource {
  readonly run: RunDetail
  readonly worker: WorkerDetail
  /** the last turn that the new run has; null: all of them */
  readonly after: number | null
}

/** The task of the new run and the version of its worker. `after` 0 starts the run again. */
export function ForkForm(props: ForkSource) {
  const { run, worker, after } = props
  const form = useForkForm(props)
  const { sent, refusal, submit } = form
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    submit()
  }
  const part = refusal?.field?.split('.')[0]
  const isElsewhere = refusal !== null && !['text', 'input', 'files'].includes(part ?? '')
  return (
    <form className="card column" aria-label="Fork" noValidate onSubmit={onSubmit} {...sent.drop}>
      <p className="dim small">
        {after === 0 ? 'The same task, from the beginning: ' : 'It goes on from '}
        <Link to={`/runs/${run.id}`}>
          run {run.number}, {run.worker}: <VisibleText text={run.title} />
        </Link>
      </p>
      {after !== 0 && (
        <Textarea
          label="First message"
          required
          autosize
          minRows={4}
          maxRows={24}
          value={form.text}
          error={part === 'text' ? refusal?.message : null}
          onPaste={sent.paste}
          onChange={(event) => form.setText(event.currentTarget.value)}
        />
      )}
      {after === 0 && isEditable(run, worker) && (
        <TaskField
          draft={form.draft}
          change={form.change}
          schema={worker.input}
          refusal={refusal}
        />
      )}
      <SentFileField sent={sent} error={part === 'files' ? (refusal?.message ?? null) : null} />
      <RadioField
        legend="Worker"
        name="worker"
        options={versions}
        value={form.version}
        onChoose={form.setVersion}
        disabled={false}
      />
      {isElsewhere && (
        <Notice tone="bad" title="The run was not started">
          <VisibleText text={refusal.message} />
        </Notice>
      )}
      <StartButton
        words={after === 0 ? verbs.startAgain : verbs.fork}
        busy={form.busy}
        obstacle={form.obstacle}
      />
    </form>
  )
}

/** The texts of the form, and the answer to the last attempt. */
function useForkForm({ run, worker, after }: ForkSource) {
  const [text, setText] = useDraft(run.id, 'fork')
  const [version, setVersion] = useState<NonNullable<ForkBody['worker']>>('current')
  const [draft, setDraft] = useState(() => taskOf(run, worker))
  const sent = useSentFiles()
  const fork = useFork(run.id, () => {
    setText('')
    sent.clear()
  })
  const [isTried, setTried] = useState(false)
  const obstacle = whyNotFork(run, worker, { after, text, ...draft })
  const startWords = (): ForkBody => {
    if (!isEditable(run, worker)) return {}
    // New files need an input in the body: without one the service takes over the old files.
    return sent.files.length > 0
      ? { input: runInput(worker, draft) }
      : changedInputOf(run, worker, draft)
  }
  const submit = (): void => {
    if (obstacle !== null) return setTried(true)
    setTried(false)
    void fork.start({
      ...(after === null ? {} : { afterTurn: after }),
      ...(after === 0 ? startWords() : { text }),
      ...sent.body,
      ...(version === 'pinned' && { worker: version }),
    })
  }
  useShortcut('submit', submit)
  return {
    text,
    setText,
    version,
    setVersion,
    draft,
    change: (changes: Partial<TaskTexts>): void =>
      setDraft((before) => ({ ...before, ...changes })),
    sent,
    obstacle,
    // After an attempt, the obstacle is shown at its field until it is corrected.
    refusal: isTried && obstacle !== null ? obstacle : fork.refusal,
    busy: fork.busy,
    submit,
  }
}

/**
 * Why the fork would not start with the present values of the form, before the service judges it.
 * Null if it can start. Pure.
 */
function whyNotFork(
  run: RunDetail,
  worker: WorkerDetail,
  draft: TaskTexts & { after: number | null; text: string },
): StartRefusal | null {
  const refusal = whyNotWorker(worker)
  if (refusal !== null) return refusal
  if (draft.after !== 0) {
    return draft.text.trim() === '' ? { message: 'Write the first message.', field: 'text' } : null
  }
  if (!isEditable(run, worker)) return null
  return whyNotRead(() => {
    refuseEmpty(draft, worker)
    runInput(worker, draft)
  })
}

/** An object input without a form is taken over unchanged. */
function isEditable(run: RunDetail, worker: WorkerDetail): boolean {
  return worker.input !== null || typeof run.input === 'string'
}

function taskOf({ input }: RunDetail, worker: WorkerDetail): TaskTexts {
  const task = typeof input === 'string' ? input : ''
  const schema = worker.input
  return { task, values: isJsonObject(input) && schema !== null ? valuesOf(schema, input) : {} }
}

/** The input if it changed. Without one, the run's input and files are taken over. */
function changedInputOf(
  run: RunDetail,
  worker: WorkerDetail,
  { task, values }: TaskTexts,
): ForkBody {
  const before = taskOf(run, worker)
  const isSame = task === before.task && JSON.stringify(values) === JSON.stringify(before.values)
  if (isSame && typeof run.input === (worker.input === null ? 'string' : 'object')) return {}
  return { input: runInput(worker, { task, values }) }
}

/** Forks a run and opens the page of the new run. */
function useFork(runId: string, onDone: () => void) {
  return useNewRun<ForkBody>(
    `fork.${runId}`,
    (body, idempotencyKey) => callApi('forkRun', { params: { id: runId }, body, idempotencyKey }),
    onDone,
  )
}
