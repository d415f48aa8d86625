import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import type { Json } from '#domain/json.ts'
import type { Explanation } from '#api/schemas/policy/policy.ts'
import { callApi } from '../api/call-api.ts'
import { Risk } from '../request/facts/risk.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { QuickVerdicts } from './quick-verdicts.tsx'

const verdicts = {
  preApproved: 'Pre-approved: nobody is asked',
  ask: 'Asks',
  blocked: 'Blocked',
  error: 'Not a valid call',
} as const

/** What policy would say of a call that nobody has made, step by step. */
export function ExplainForm({ workers }: { workers: readonly string[] }) {
  const [worker, setWorker] = useState(workers[0] ?? '')
  const [tool, setTool] = useState('write_file')
  const [input, setInput] = useState('{\n  "path": "notes/1.2.md",\n  "content": ""\n}')
  const [answer, setAnswer] = useState<Explanation | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const explain = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setRefusal(null)
    setAnswer(null)
    const parsed = parseJson(input)
    if (parsed === undefined) {
      setRefusal('The input is not JSON.')
      return
    }
    setBusy(true)
    try {
      const body = { worker, tool, input: parsed }
      setAnswer(await callApi('explainCall', { body }))
    } catch (error) {
      setRefusal((error as Error).message)
    }
    setBusy(false)
  }
  return (
    <section className="card column explain" aria-labelledby="explain-title">
      <h2 id="explain-title">Explain a call</h2>
      <NativeSelect
        label="Worker"
        data={[...workers]}
        value={worker}
        onChange={(event) => setWorker(event.currentTarget.value)}
      />
      <QuickVerdicts worker={worker} />
      <form className="column" onSubmit={(event) => void explain(event)}>
        <h3>Any call, step by step</h3>
        <TextInput
          label="Tool"
          value={tool}
          onChange={(event) => setTool(event.currentTarget.value)}
        />
        <Textarea
          label="Input (JSON)"
          classNames={{ input: 'mono' }}
          autosize
          minRows={4}
          spellCheck={false}
          value={input}
          onChange={(event) => setInput(event.currentTarget.value)}
        />
        <Button type="submit" loading={busy}>
          Explain
        </Button>
        {refusal !== null && <p role="alert">{refusal}</p>}
      </form>
      {answer !== null && (
        <div className="column explanation" role="status">
          <p className="row">
            <strong>{verdicts[answer.verdict]}</strong>
            {answer.risk !== undefined && <Risk risk={answer.risk} />}
            {answer.queue !== undefined && <span className="dim small">queue {answer.queue}</span>}
          </p>
          <p>
            <VisibleText text={answer.reason} />
          </p>
          {answer.rule !== null && (
            <p className="small dim">
              rule <code>{answer.rule.id}</code>
              {answer.rule.source !== null && (
                <>
                  {' '}
                  in <code>{answer.rule.source}</code>
                </>
              )}
            </p>
          )}
          <ol className="plain-list">
            {answer.steps.map((step, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- steps keep their order
              <li key={index}>
                <span className="grow break">
                  {step.step}: <VisibleText text={step.detail} />
                </span>
                <span className="dim small">{step.outcome}</span>
              </li>
            ))}
          </ol>
        </div>
      )}
    </section>
  )
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
