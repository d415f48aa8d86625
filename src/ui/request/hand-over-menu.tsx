import { Menu } from '@mantine/core'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { callApi } from '../api/call-api.ts'
import type { peopleLeft } from '../deciding/facts/people-left.ts'
import { KeyMenu } from '../floating/key-menu.tsx'
import type { MenuOfButton } from '../floating/use-menu-button.ts'
import { useAct } from '../states/use-act.ts'
import { Moment } from '../text/time.tsx'

/** The menu of colleagues to whom a request can be handed over, and who of them is away. */
export function HandOverMenu(props: {
  request: Pick<RequestDetail, 'id'>
  colleagues: ReturnType<typeof peopleLeft>
  menu: MenuOfButton
}) {
  const act = useAct(['request'])
  const { id } = props.request
  const give = (to: string, name: string): void => {
    void act(
      () => callApi('handOverRequest', { params: { id }, body: { to } }),
      `Handed over to ${name}`,
    )
  }
  return (
    <KeyMenu menu={props.menu}>
      {props.colleagues.map((colleague) => (
        <Menu.Item key={colleague.id} onClick={() => give(colleague.id, colleague.name)}>
          {colleague.name}
          {colleague.awayUntil !== null && (
            <span className="dim small">
              {' '}
              away until <Moment at={colleague.awayUntil} />
            </span>
          )}
        </Menu.Item>
      ))}
    </KeyMenu>
  )
}
