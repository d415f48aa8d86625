import { useState, type SubmitEvent } from 'react'
import { send } from './api.ts'

/** A form that starts a run with a task and opens the run. */
export function StartRun() {
  const [text, setText] = useState('')
  const [refusal, setRefusal] = useState<string | null>(null)
  const start = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    try {
      const { id } = await send<{ id: string }>('/api/runs', { text })
      location.search = new URLSearchParams({ run: id }).toString()
    } catch (error) {
      setRefusal(String(error))
    }
  }
  return (
    <main>
      <h1>What should the agent do?</h1>
      <form onSubmit={(event) => void start(event)}>
        <textarea
          aria-label="Task"
          required
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <button>Start</button>
      </form>
      {refusal !== null && <p role="alert">{refusal}</p>}
    </main>
  )
}
