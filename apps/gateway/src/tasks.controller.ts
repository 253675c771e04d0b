import { Controller, Delete, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Cancellation } from './cancellation.js';
import type { RouteSettings } from './door/route-table.js';
import { TaskCreation } from './task-creation.js';
import { TaskReading } from './task-reading.js';

@Controller('/v1/async')
export class TasksController {
  constructor(
    @Inject(Cancellation) private readonly cancellation: Cancellation,
    @Inject(TaskCreation) private readonly creation: TaskCreation,
    @Inject(TaskReading) private readonly reading: TaskReading,
  ) {}

  @Post('/task')
  @RouteConfig({ scope: 'tasks:create', logged: 'async' } satisfies RouteSettings)
  create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.creation.create(request, reply);
  }

  @Post('/task/batch')
  @RouteConfig({ scope: 'tasks:create', bodyMaxBytes: 8 * 1024 * 1024 } satisfies RouteSettings)
  createBatch(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.creation.createBatch(request, reply);
  }

  @Get('/task/:taskId')
  @RouteConfig({ scope: 'tasks:read', waits: true } satisfies RouteSettings)
  read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.reading.read(request, reply);
  }

  @Delete('/task/:taskId')
  @RouteConfig({ scope: 'tasks:create' } satisfies RouteSettings)
  delete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.cancellation.delete(request, reply);
  }

  @Get('/status')
  @RouteConfig({ scope: 'tasks:read' } satisfies RouteSettings)
  status(@Req() request: FastifyRequest): Promise<object> {
    return this.reading.status(request);
  }
}
