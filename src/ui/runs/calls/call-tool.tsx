import { Button, NativeSelect } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import type { InvokedTool } from '#api/schemas/runs/run-actions.ts'
import type { ToolList } from '#api/schemas/tool-list.ts'
import { callApi } from '../../api/call-api.ts'
import { useIntentKey } from '../../api/use-intent-key.ts'
import { useManualTools } from '../../api/queries.ts'
import { announce } from '../../states/announce.tsx'
import { Failure } from '../../states/failure.tsx'
import { Loading } from '../../states/loading.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { emptyInput, readInput } from './tool-input.ts'
import { ToolInputFields } from './tool-input-fields.tsx'
import { verbs } from '../../words/verbs.ts'
import { useAttempt } from '../../states/use-attempt.ts'
import { useFocusReturn } from '../../states/use-focus-return.ts'

/**
 * Invokes a manual tool. Policy judges the call like any other, and the person who invokes it
 * cannot approve it.
 */
export function CallTool({ runId }: { runId: string }) {
  const [open, setOpen] = useState(false)
  const tools = useManualTools(runId, open)
  const button = useFocusReturn<HTMLButtonElement>(open)
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (open) title.current?.focus()
  }, [open])
  if (!open) {
    return (
      <Button ref={button} variant="default" onClick={() => setOpen(true)}>
        Invoke a tool by hand…
      </Button>
    )
  }
  return (
    <section className="card column" aria-labelledby="call-title">
      <div className="row spread">
        <h2 id="call-title" ref={title} tabIndex={-1}>
          Invoke a tool by hand
        </h2>
        <Button size="compact-sm" variant="default" onClick={() => setOpen(false)}>
          {verbs.close}
        </Button>
      </div>
      {tools.isPending && <Loading what="the tools" lines={2} />}
      <Failure query={tools} />
      {tools.data?.items.length === 0 && (
        <p className="small">
          This run has no manual tools. A tool is one with <code>manual: true</code> in the worker’s
          file.
        </p>
      )}
      {tools.data !== undefined && tools.data.items.length > 0 && (
        <CallForm runId={runId} tools={tools.data.items} />
      )}
    </section>
  )
}

interface CallFormProps {
  runId: string
  tools: ToolList['items']
}

function CallForm({ runId, tools }: CallFormProps) {
  const client = useQueryClient()
  const [name, setName] = useState(tools[0]?.name ?? '')
  const tool = tools.find((item) => item.name === name) ?? tools[0]
  const [values, setValues] = useState(() => emptyInput(tool?.inputSchema ?? {}))
  const intent = useIntentKey()
  const { attempt, busy, refusal } = useAttempt()
  const [invocation, setInvocation] = useState<InvokedTool | null>(null)
  if (tool === undefined) return null
  const call = (): Promise<boolean> => {
    setInvocation(null)
    return attempt(async () => {
      const body = { tool: tool.name, input: readInput(tool.inputSchema, values) }
      const params = { id: runId }
      setInvocation(await callApi('invokeTool', { params, body, idempotencyKey: intent.of(body) }))
      intent.renew()
      announce(`${tool.name} was invoked`)
      await client.invalidateQueries({ queryKey: ['run', runId] })
    })
  }
  return (
    <>
      <NativeSelect
        label="Tool"
        data={tools.map((item) => item.name)}
        value={tool.name}
        onChange={(event) => {
          const next = tools.find((item) => item.name === event.currentTarget.value)
          setName(event.currentTarget.value)
          setValues(emptyInput(next?.inputSchema ?? {}))
          intent.renew()
        }}
      />
      <p className="small dim">
        <VisibleText text={tool.description} />
      </p>
      <ToolInputFields schema={tool.inputSchema} values={values} change={setValues} />
      <p className="small">
        Its result enters the run as your message. If the call asks, another person decides it.
      </p>
      {refusal !== null && <p role="alert">{refusal}</p>}
      {invocation !== null && (
        <p role="status">
          {invocation.requestId === null ? (
            <>{invocation.tool} runs.</>
          ) : (
            <>
              {invocation.tool} asks somebody else:{' '}
              <Link to={`/requests/${invocation.requestId}`}>the request</Link>.
            </>
          )}
        </p>
      )}
      <div className="row">
        <Button loading={busy} onClick={() => void call()}>
          Invoke
        </Button>
      </div>
    </>
  )
}
