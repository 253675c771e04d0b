import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { Empty } from '../ui/empty';
import { Page } from '../ui/page';

export const NotFoundPage = () => (
  <Page title="Not found">
    <Empty
      title="There is no such page"
      action={
        <Button component={Link} to="/requests" variant="default">
          Go to the requests
        </Button>
      }
    >
      The address may be mistyped, or what it led to is gone.
    </Empty>
  </Page>
);
