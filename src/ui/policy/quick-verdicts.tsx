import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import type { Explanation } from '#api/schemas/policy/policy.ts'
import { callApi } from '../api/call-api.ts'
import { useWorker } from '../api/queries.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { verdictWords } from '../words/verdict-words.ts'
import { verdictProbes, type VerdictProbe } from './verdict-probes.ts'

/** The pause in typing after which the verdicts are loaded. */
const pauseMs = 400

/** The verdicts for a path or command while it is typed. */
export function QuickVerdicts({ worker }: { worker: string }) {
  const [input, setInput] = useState('')
  const [text] = useDebouncedValue(input.trim(), pauseMs)
  const probes = verdictProbes(text)
  const tools = useWorker(worker).data?.tools
  const has = (tool: string): boolean => tools === undefined || tools.includes(tool)
  const answers = useQueries({
    queries: probes.map(({ tool, input }) => ({
      queryKey: ['explain', worker, tool, input],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        callApi('explainCall', { body: { worker, tool, input }, signal }),
      enabled: has(tool),
      retry: false,
    })),
  })
  return (
    <div className="column">
      <TextInput
        label="A path or a command"
        placeholder="notes/1.2.md, or git push"
        value={input}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setInput(event.currentTarget.value)}
      />
      {probes.length > 0 && (
        <ul className="plain-list" aria-label="Verdicts" aria-live="polite">
          {probes.map((probe, index) => (
            <li key={probe.title}>
              <span className="quick-title">{probe.title}</span>
              <span className="grow break small">
                {has(probe.tool) ? (
                  <Verdict answer={answers[index]?.data} error={answers[index]?.error ?? null} />
                ) : (
                  <>
                    <strong>{verdictWords.blocked}</strong>{' '}
                    <span className="dim">{whyNever(probe)}</span>
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Why a worker without the tool never does it. */
function whyNever({ tool }: VerdictProbe): string {
  return tool === 'shell' ? 'this worker runs no commands' : 'this worker has no files'
}

function Verdict({ answer, error }: { answer: Explanation | undefined; error: Error | null }) {
  if (error !== null) return <VisibleText text={error.message} />
  if (answer === undefined) return <span className="dim">…</span>
  const { verdict, queue, reason, rule } = answer
  return (
    <>
      <strong>{verdictWords[verdict]}</strong>
      {queue !== undefined && ` ${queue}`}{' '}
      <span className="dim">
        <VisibleText text={reason} />
        {typeof rule?.source === 'string' && (
          <>
            {' '}
            <code>{rule.source}</code>
          </>
        )}
      </span>
    </>
  )
}
