import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Json } from '../../domain/json.ts'
import type { RequestDetail } from '../../api/schemas/requests.ts'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { Hash } from '../text/hash.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { LinesView } from './lines-view.tsx'

const labels: Readonly<Record<string, string>> = {
  path: 'File',
  baseHash: 'File before',
  newHash: 'File after',
  baseBytes: 'Bytes before',
  newBytes: 'Bytes after',
  mediaType: 'Media type',
  added: 'Lines added',
  removed: 'Lines removed',
  cwd: 'Working directory',
  timeoutSeconds: 'Time limit (s)',
  environment: 'Environment names',
  argv: 'Command',
  toolHash: "Tool's definition",
  bases: 'Compared with when it runs',
  assumes: 'Assumes call',
}

/** Everything the decision is bound to, and the raw input. */
export function Facts({ request }: { request: RequestDetail }) {
  const [raw, setRaw] = useState(false)
  useShortcut('raw', () => setRaw((before) => !before))
  const keys = useAriaKeys('raw')
  const { metadata } = request.presentation
  const all: Record<string, Json> = { ...request.facts, ...metadata }
  const known = Object.keys(labels).filter((name) => Object.hasOwn(all, name))
  const others = Object.keys(all).filter((name) => !Object.hasOwn(labels, name))
  const facts = [...known, ...others].map((name) => [name, all[name] ?? null] as const)
  return (
    <section className="card" aria-labelledby="facts-title">
      <h2 id="facts-title">Facts</h2>
      <dl className="facts">
        <Fact name="Tool" value={request.tool} />
        {request.workspaceRoot !== null && <Fact name="Workspace" value={request.workspaceRoot} />}
        {facts.map(([name, value]) => (
          <Fact
            key={name}
            name={Object.hasOwn(labels, name) ? (labels[name] ?? name) : name}
            value={value}
          />
        ))}
        <Fact name="Digest" value={request.digest} />
      </dl>
      <Button
        size="xs"
        variant="default"
        mt="sm"
        aria-expanded={raw}
        onClick={() => setRaw(!raw)}
        {...keys}
      >
        {raw ? 'Hide the raw input' : 'Show the raw input'}
      </Button>
      {raw && (
        <div className="raw">
          <LinesView text={JSON.stringify(request.input, null, 2)} showFinalNewline={false} />
        </div>
      )}
    </section>
  )
}

function Fact({ name, value }: { name: string; value: Json }) {
  const text = factText(value)
  return (
    <div className="fact">
      <dt>
        <VisibleText text={name} />
      </dt>
      <dd className="mono break">
        {text.startsWith('sha256:') ? (
          <Hash value={text} what={name} />
        ) : (
          <VisibleText text={text} />
        )}
      </dd>
    </div>
  )
}

/** Text as it is, lists line by line, objects member by member, all else as JSON. */
function factText(value: Json): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(factText).join('\n')
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return Object.values(value).map(factText).join('  ')
}
