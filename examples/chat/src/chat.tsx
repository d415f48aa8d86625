import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, getToolName, isToolUIPart, type UIMessage } from 'ai'
import { useState, type SubmitEvent } from 'react'
import { send } from './api.ts'
import type { Run } from './history.ts'
import { WaitsFor } from './waits-for.tsx'

const transport = new DefaultChatTransport({ api: '/api/chat' })

/**
 * A run as `useChat` shows it: the text of the model, its calls, the people they wait for, and
 * their results. `resume` opens the stream of the turn in progress.
 */
export function Chat({ run, messages: initial }: { run: Run; messages: UIMessage[] }) {
  const { messages, sendMessage, status, error } = useChat({
    id: run.id,
    messages: initial,
    resume: true,
    transport,
  })
  const [text, setText] = useState('')
  const [queued, setQueued] = useState<string[]>([])
  const atWork = status === 'streaming' || status === 'submitted'
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    setText('')
    // The stream of a turn in progress stays open; the agent reads the message before its next
    // turn.
    if (!atWork) return void sendMessage({ text })
    void send(`/api/runs/${run.id}/messages`, { text }).then(() => setQueued([...queued, text]))
  }
  return (
    <main>
      <h1>
        Run {run.number}: {run.title}
      </h1>
      {messages.map((message) => (
        <section key={message.id} className={message.role} aria-label={message.role}>
          {message.parts.map((part, index) => (
            <Part key={index} part={part} runId={run.id} />
          ))}
        </section>
      ))}
      {queued.map((message, index) => (
        <section key={index} className="user" aria-label="queued">
          <p>{message}</p>
        </section>
      ))}
      <p role="status">{atWork ? 'The agent is at work.' : 'It is your turn.'}</p>
      {error !== undefined && <p role="alert">{error.message}</p>}
      <form onSubmit={submit}>
        <textarea
          aria-label="Message"
          required
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <button>Send</button>
      </form>
    </main>
  )
}

/** A part of a message. The text of a model is shown as text, never as markup. */
function Part({ part, runId }: { part: UIMessage['parts'][number]; runId: string }) {
  if (part.type === 'text') return <p>{part.text}</p>
  if (!isToolUIPart(part)) return null
  return (
    <div className="call">
      <strong>{getToolName(part)}</strong>
      <pre>{JSON.stringify(part.input, null, 2)}</pre>
      {part.state === 'approval-requested' && <WaitsFor runId={runId} />}
      {part.state === 'output-available' && <pre>{JSON.stringify(part.output, null, 2)}</pre>}
      {part.state === 'output-denied' && <p>Denied.</p>}
      {part.state === 'output-error' && <p role="alert">{part.errorText}</p>}
    </div>
  )
}
