import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../api/call-api.ts'
import { useAct } from '../states/use-act.ts'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { Time } from '../text/time.tsx'

/**
 * The person's users in Slack. The address of the page may contain a code from Slack. It is sent
 * only when the person presses the button, so that opening the page links nobody.
 */
export function SlackSection() {
  const act = useAct(['slack-links'])
  const [code, setCode] = useState(codeInAddress)
  const links = useQuery({
    queryKey: ['slack-links'],
    queryFn: ({ signal }) => callApi('listSlackLinks', { signal }),
  })
  const unlink = (id: string) =>
    act(() => callApi('removeSlackLink', { params: { id } }), 'Slack is unlinked')
  const confirm = async (code: string) => {
    setCode(null)
    history.replaceState(null, '', location.pathname)
    await act(() => callApi('confirmSlackLink', { body: { code } }), 'You are linked with Slack')
  }
  const list = links.data
  if (list !== undefined && !list.configured && list.items.length === 0) return null
  return (
    <section className="card column" aria-labelledby="slack-title">
      <h2 id="slack-title">Slack</h2>
      <p className="dim small">
        After linking, you can decide requests without high risk from Slack. Your verified address
        in Slack must be your address here; your name there does not matter.
      </p>
      {links.isPending && <Loading what="your links" lines={2} />}
      <Failure query={links} />
      {code !== null && (
        <p>
          <Button onClick={() => void confirm(code)}>Yes, I pressed that button in Slack</Button>
        </p>
      )}
      {list?.items.length === 0 && code === null && (
        <p className="small">
          Not linked. Press “Look and decide” on a message in Slack: it shows the link.
        </p>
      )}
      <ul className="plain-list" hidden={list === undefined || list.items.length === 0}>
        {list?.items.map((link) => (
          <li key={link.id} className="account-row">
            <span className="grow break">
              {link.userId} <span className="dim">in the workspace {link.team}</span>
              <br />
              <span className="dim small">
                linked <Time at={link.createdAt} />
              </span>
            </span>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Unlink ${link.userId}`}
              onClick={() => void unlink(link.id)}
            >
              Unlink
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function codeInAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('slack')
}
