import { Button, Textarea } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { Link } from 'react-router'
import type { WorkerDetail } from '#api/schemas/operation/workers.ts'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { useAriaKeys, useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { Keys } from '../../keyboard/keys.tsx'
import { useDraft } from '../../states/draft.ts'
import { Notice } from '../../states/notice.tsx'
import { RadioField } from '../../states/radio-field.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { TaskField } from '../start/task-field.tsx'
import { InputError, readInput, valuesOf, type InputValues } from '../calls/tool-input.ts'
import { useFork, type ForkBody } from './use-fork.ts'

const versions = [
  { value: 'current', label: 'The current version' },
  { value: 'pinned', label: 'The version of that run' },
] as const

/** What the new run is asked, and with which version of the worker. `after` 0: start again. */
export function ForkForm(props: { run: RunDetail; worker: WorkerDetail; after: number | null }) {
  const { run, worker, after } = props
  const [text, setText] = useDraft(run.id, 'fork')
  const [version, setVersion] = useState<NonNullable<ForkBody['worker']>>('current')
  const [again, setAgain] = useState(() => taskOf(run, worker))
  const { start: fork, busy, refusal, refuse } = useFork(run.id, () => setText(''))
  const keys = useAriaKeys('submit')
  const submit = (): void => {
    try {
      const words = after === 0 ? inputOf(run, worker, again) : { text }
      if (after !== 0 && text.trim() === '') return refuse('Write the first message.', 'text')
      const turn = after === null ? {} : { afterTurn: after }
      void fork({ ...turn, ...words, ...(version === 'pinned' && { worker: version }) })
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      refuse(error.message, `input.${error.field}`)
    }
  }
  useShortcut('submit', submit)
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    submit()
  }
  const part = refusal?.field?.split('.')[0]
  const isElsewhere = refusal !== null && part !== 'text' && part !== 'input'
  return (
    <form className="card column" aria-label="Fork" onSubmit={onSubmit}>
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
          value={text}
          error={part === 'text' ? refusal?.message : null}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {after === 0 && isEditable(run, worker) && (
        <TaskField
          draft={again}
          change={(changes) => setAgain((before) => ({ ...before, ...changes }))}
          schema={worker.input}
          refusal={refusal}
        />
      )}
      <RadioField
        legend="Worker"
        name="worker"
        options={versions}
        value={version}
        onChoose={setVersion}
        disabled={false}
      />
      {!worker.startable && <p role="status">You may not start runs of {worker.name}.</p>}
      {isElsewhere && (
        <Notice tone="bad" title="The run was not started">
          <VisibleText text={refusal.message} />
        </Notice>
      )}
      <div className="row">
        <Button type="submit" loading={busy} disabled={!worker.startable} {...keys}>
          {after === 0 ? 'Start again' : 'Fork the run'}
        </Button>
        <span className="dim small">
          <Keys id="submit" />
        </span>
      </div>
    </form>
  )
}

/** An object that no form of the worker describes is taken over as it is. */
function isEditable(run: RunDetail, worker: WorkerDetail): boolean {
  return worker.input !== null || typeof run.input === 'string'
}

interface Task {
  readonly task: string
  readonly values: InputValues
}

function taskOf({ input }: RunDetail, worker: WorkerDetail): Task {
  const task = typeof input === 'string' ? input : ''
  const isForm = typeof input === 'object' && input !== null && !Array.isArray(input)
  const schema = worker.input
  return { task, values: isForm && schema !== null ? valuesOf(schema, input) : {} }
}

/** Nothing where the old input stays as it was: then its files come along too. */
function inputOf(run: RunDetail, worker: WorkerDetail, { task, values }: Task): ForkBody {
  if (!isEditable(run, worker)) return {}
  const before = taskOf(run, worker)
  const isSame = task === before.task && JSON.stringify(values) === JSON.stringify(before.values)
  if (isSame && typeof run.input === (worker.input === null ? 'string' : 'object')) return {}
  return { input: worker.input === null ? task : readInput(worker.input, values) }
}
