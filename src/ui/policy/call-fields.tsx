import { readJson } from '#domain/json/ambiguous-json.ts'
import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import type { ToolList } from '#api/schemas/tool-list.ts'
import type { Json } from '#domain/json/json.ts'
import { callApi } from '../api/call-api.ts'
import { ToolInputFields } from '../runs/calls/tool-input-fields.tsx'
import { emptyInput, readInput, type InputValues } from '../runs/calls/tool-input.ts'
import { Loading } from '../states/loading.tsx'
import { FoldButton, useCut } from '../states/fold.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { verbs } from '../words/verbs.ts'

/** A hypothetical call. */
export interface Call {
  readonly tool: string
  readonly input: Json
}

interface CallFieldsProps {
  readonly worker: string
  readonly busy: boolean
  /** `readCall` reads the form when it is called, and throws for an unreadable field */
  readonly explain: (readCall: () => Call) => void
}

/**
 * The form of a hypothetical call: a tool of the worker, and a field for each of the tool's inputs,
 * or JSON. JSON can also express calls that the fields do not allow.
 */
export function CallFields({ worker, busy, explain }: CallFieldsProps) {
  const [isJson, setJson] = useState(false)
  const tools = useQuery({
    queryKey: ['workers', worker, 'tools'],
    queryFn: ({ signal }) => callApi('listWorkerTools', { params: { name: worker }, signal }),
    enabled: worker !== '',
    retry: false,
    staleTime: 60_000,
  })
  const items = tools.data?.items ?? []
  if (tools.isPending && worker !== '') return <Loading what="the tools" lines={3} />
  const hasForms = items.length > 0
  return (
    <>
      {tools.isError && (
        <p className="dim small">
          There is no form for the tool at the moment: <VisibleText text={tools.error.message} />
        </p>
      )}
      {hasForms && (
        <Checkbox
          label="Write it as JSON"
          checked={isJson}
          onChange={(event) => setJson(event.currentTarget.checked)}
        />
      )}
      {hasForms && !isJson ? (
        <ToolForm tools={items} busy={busy} explain={explain} />
      ) : (
        <JsonForm busy={busy} explain={explain} />
      )}
    </>
  )
}

type FormProps = Omit<CallFieldsProps, 'worker'>

function ToolForm({ tools, busy, explain }: FormProps & { tools: ToolList['items'] }) {
  const [name, setName] = useState(tools[0]?.name ?? '')
  const tool = tools.find((one) => one.name === name)
  const schema = tool?.inputSchema ?? {}
  const [values, setValues] = useState<InputValues>({})
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    explain(() => ({ tool: name, input: readInput(schema, { ...emptyInput(schema), ...values }) }))
  }
  return (
    <form className="column" onSubmit={submit}>
      <NativeSelect
        label="Tool"
        data={tools.map((one) => one.name)}
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value)
          setValues({})
        }}
      />
      {tool !== undefined && <ToolWords key={tool.name} text={tool.description} />}
      <ToolInputFields
        schema={schema}
        values={{ ...emptyInput(schema), ...values }}
        change={setValues}
      />
      <Button type="submit" variant="default" loading={busy}>
        {verbs.explain}
      </Button>
    </form>
  )
}

/** The description of a tool: its first lines, and all of it on demand. */
function ToolWords({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false)
  const { ref, isCut } = useCut<HTMLParagraphElement>(text, isOpen)
  return (
    <div className="dim small">
      <p ref={ref} className={isOpen ? undefined : 'tool-words'}>
        <VisibleText text={text} />
      </p>
      {isCut && <FoldButton what="description" isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />}
    </div>
  )
}

function JsonForm({ busy, explain }: FormProps) {
  const [tool, setTool] = useState('write_file')
  const [input, setInput] = useState('{\n  "path": "notes/1.2.md",\n  "content": ""\n}')
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    explain(() => ({ tool, input: inputFrom(input) }))
  }
  return (
    <form className="column" onSubmit={submit}>
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
      <Button type="submit" variant="default" loading={busy}>
        {verbs.explain}
      </Button>
    </form>
  )
}

function inputFrom(text: string): Json {
  const input = readJson('The input', text)
  if ('value' in input) return input.value
  throw new Error(`${input.problem}.`)
}
