import { Button } from '@mantine/core'
import { IconCircleCheckFilled, IconCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import type { FirstStep } from '#domain/first-step.ts'
import { callApi } from '../api/call-api.ts'
import { useMe, useQueues, useWorkers } from '../api/queries.ts'
import { startCommand } from '../runs/list/start-command.ts'
import { Command, OwnCommand } from '../states/command.tsx'
import { serviceOptions } from '../text/service-options.ts'

type Steps = readonly { readonly id: FirstStep; readonly done: boolean }[]

/** The key in local storage that hides the checklist. */
const hiddenKey = 'countersign.first-steps-hidden'

/**
 * The remaining first steps of an installation, for the person who sets it up. `null` for everybody
 * else, and for somebody in no team who can do none of them. `null` also while they are loaded,
 * when all are done, and when the list was hidden in this browser.
 */
export function useFirstSteps(): { readonly steps: Steps; readonly hide: () => void } | null {
  const { person, installation } = useMe()
  const [isHidden, setHidden] = useState(() => localStorage.getItem(hiddenKey) !== null)
  const { rights, teams } = person
  const setsUp =
    rights.includes('managePeople') || (installation.profile === 'development' && teams.length > 0)
  const { data } = useQuery({
    // Under the key of runs, because an event of a run can complete a step.
    queryKey: ['runs', 'first-steps'],
    queryFn: ({ signal }) => callApi('listFirstSteps', { signal }),
    enabled: setsUp && !isHidden,
  })
  const steps = data?.items ?? []
  if (!setsUp || isHidden || steps.every(({ done }) => done)) return null
  const hide = (): void => {
    localStorage.setItem(hiddenKey, 'yes')
    setHidden(true)
  }
  return { steps, hide }
}

/** The steps that are left, below a list; nothing once all are done. */
export function FirstSteps(): ReactNode {
  const first = useFirstSteps()
  return first && <Checklist {...first} />
}

/** The first page of a new installation: steps that are ticked once they are done. */
export function Checklist({ steps, hide }: { steps: Steps; hide: () => void }) {
  return (
    <section className="card column checklist" aria-labelledby="checklist-title">
      <div className="row">
        <h2 id="checklist-title" className="grow">
          The first five minutes
        </h2>
        <Button size="compact-sm" variant="default" onClick={hide}>
          Hide this list
        </Button>
      </div>
      <ol className="plain-list">
        {steps.map(({ id, done }) => {
          const Icon = done ? IconCircleCheckFilled : IconCircle
          return (
            <li key={id} className="checklist-step" data-done={done}>
              <Icon size={20} aria-hidden />
              <div className="grow column">
                <h3>
                  {titles[id]}
                  <span className="visually-hidden">{done ? ', done' : ', to do'}</span>
                </h3>
                {!done && <StepInstructions step={id} />}
              </div>
            </li>
          )
        })}
      </ol>
    </section>
  )
}

const titles: Readonly<Record<FirstStep, string>> = {
  run: 'Start a run',
  decision: 'Decide it as a colleague',
  agent: 'Connect an agent',
  person: 'Invite a person',
}

function StepInstructions({ step }: { step: FirstStep }): ReactNode {
  const me = useMe()
  const workers = useWorkers()
  const worker = workers.data?.items.find((one) => one.startable)
  const isDevelopment = me.installation.profile === 'development'
  const mine = useQueues().data?.items.reduce((sum, queue) => sum + queue.mine, 0) ?? 0
  switch (step) {
    case 'run':
      if (worker === undefined) {
        return (
          <p className="small">
            See on <Link to="/policy">Policy</Link> who may start which worker.
          </p>
        )
      }
      return (
        <>
          <p className="small">
            {worker.scripted ? `The model of ${worker.name} is a script, which needs no key. ` : ''}
            <Link to="/runs/new">Start it here</Link>, or on the machine of the service:
          </p>
          <Command text={startCommand(worker.name, me)} />
        </>
      )
    case 'decision':
      if (mine > 0) return <p className="small">A request waits for you: open it, and decide it.</p>
      return (
        <p className="small">
          Nobody decides the requests of a run that they started.{' '}
          {isDevelopment
            ? 'Act as a colleague: the menu under your name lists them.'
            : 'Ask a colleague to open their inbox.'}
        </p>
      )
    case 'agent':
      return (
        <>
          <p className="small">
            Create an API key on <Link to="/account">your account</Link>, and set it as{' '}
            <code>COUNTERSIGN_API_KEY</code>. Where no service runs for the folder FOLDER, set{' '}
            <code>COUNTERSIGN_URL</code> to <code>{location.origin}</code>. Then, for Claude Code in
            FOLDER:
          </p>
          <OwnCommand text="hook claude-code --install --project FOLDER" />
          <p className="small">
            <a href="/docs/clients">Other agents and programs</a>
          </p>
        </>
      )
    case 'person':
      return (
        <>
          <p className="small">
            Add them to a team in countersign.yaml. Once the change is in force (
            <Link to="/policy">Policy</Link> says so), make a sign-in link on the machine of the
            service:
          </p>
          {/* Without --as: on the host it makes a link for anybody. */}
          <OwnCommand text={`people link EMAIL${serviceOptions(me, null)}`} />
        </>
      )
  }
}
