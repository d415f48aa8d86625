import { Button } from '@mantine/core'
import { useNavigate } from 'react-router'
import { useMe } from '../../api/queries.ts'
import { Command } from '../../states/command.tsx'
import { startCommand } from './start-command.ts'

/** What starts a run of a worker where a list is empty: a button, and a command. */
export function StartOffer({ worker }: { worker: string }) {
  const me = useMe()
  const navigate = useNavigate()
  return (
    <>
      <Button onClick={() => void navigate(`/runs/new?worker=${worker}`)}>
        New run of {worker}
      </Button>
      <p className="dim small">Or in a terminal on the machine that runs the service:</p>
      <Command text={startCommand(worker, me)} />
    </>
  )
}
