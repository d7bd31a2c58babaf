"""Whether everything that a study needs is running: web, workers, beat, mail, endpoints, disks, waiting jobs."""
